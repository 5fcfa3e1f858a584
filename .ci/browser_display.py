"""How a page shows values, types and concurrent effects."""
from webdriver import expect, expect_silence


def test_display(browser, run, sample, parallel):
    browser.open(sample)
    browser.run("pick(numbered(7))")
    told = browser.text("#detail .tree")
    for line in ['items: 1 element', 'filter: .all', 'session: Session(user: "ada")',
                 'notes: ["": "*/", "é": "\\u{202E}//"]']:
        assert f"\n{line}\n" in told + "\n", (line, told)
    browser.run("pick(numbered(2))")
    assert '\nfilter: .tagged("work\\n")\n' in browser.text("#detail .tree"), browser.text("#detail .tree")
    browser.run("pick(numbered(3))")
    assert "filter: .priced(from: -0.5, to: 1e+21)" in browser.text("#detail .tree")
    telling = "return summary({ changes: arguments[0] })"
    count, choice = ["count", "=", "1", "2"], ["filter", "=", ".all", '.tagged("work")']
    expect(browser.run(telling, [count, choice]), 'filter: .all → .tagged("work")  +1')
    expect(browser.run(telling, [["on", "=", "false", "true"], count]), "on: false → true  +1")
    expect(browser.run(telling, [choice, ["a[1]", "+", "b", 1]]), "a[1]: added b at 1  +1")
    expect(browser.run(telling, [count]), "count: 1 → 2")

    browser.open(run)
    expect(browser.run("return [...document.querySelectorAll('.track')].map(own => own.textContent)"),
           ["SearchEffect.find · 4", "SearchEffect.save · 4", "SearchEffect.watch · 3", "Unheard · 1"])
    bars = browser.run("""return [...document.querySelectorAll("#bars .effect")].map(own => own.item)
      .filter(({ type }) => type.name == "SearchEffect.find").map(barText)""")
    expect(sorted(bars), ['#1 "g"', '#2 "gl"', '#4 "glu"', '#5 "glue"'])
    shades = browser.run("""return [...document.querySelectorAll("#bars .effect")]
      .filter(({ item }) => item.type.name == "SearchEffect.find")
      .map(own => getComputedStyle(own.firstChild)).map(own => own.backgroundColor + own.borderLeftStyle)""")
    assert len(set(shades)) == 3, shades
    # Bars and names are painted over arrows, and end in an ellipsis.
    expect(browser.run("""
      const after = (a, b) => !!($(a).compareDocumentPosition($(b)) & Node.DOCUMENT_POSITION_FOLLOWING)
      return [after("arrows", "bars"), [...document.querySelectorAll(".arrow")]
        .every(own => getComputedStyle(own).zIndex == "auto"),
        getComputedStyle(document.querySelector("#bars .bar")).textOverflow]"""), [True, True, "ellipsis"])
    expect(browser.run("return [...$('key').children].map(own => own.textContent).sort()"),
           ["SearchIntent.found", "SearchIntent.saved", "SearchIntent.see", "SearchIntent.typed"])
    browser.click("#key button[title='Only SearchIntent.saved']")
    expect(browser.run("return shown.length"), 1)
    for is_open in (False, True):
        browser.click("#legend summary")
        expect(browser.run("return [$('legend').open, $('key').checkVisibility()]"), [is_open, is_open])

    browser.open(parallel)
    browser.until("return !$('below').hidden")
    assert browser.text("#below").endswith("more lanes ▾"), browser.text("#below")
    browser.click("#below")
    browser.until("return $('lanes').scrollTop > 100")
    browser.run("$('lanes').scrollTop = 1e6")
    browser.until("return $('below').hidden")
    expect_silence(browser, sample, run, parallel)
