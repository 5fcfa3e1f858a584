"""Contrast, names and the keyboard on a page."""
from webdriver import ESCAPE, HOME, TAB, expect, expect_silence

# The colors of each visible text and its background.
CONTRAST = """
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const parse = color => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const over = ([r, g, b, a], below) => [r, g, b].map((n, i) => n * a + below[i] * (1 - a)).concat(1)
  const behind = element => element ? over(parse(getComputedStyle(element).backgroundColor),
    behind(element.parentElement)) : [255, 255, 255, 1]
  const light = rgb => {
    const [r, g, b] = rgb.map(n => n / 255).map(n => n <= .04045 ? n / 12.92 : ((n + .055) / 1.055) ** 2.4)
    return .2126 * r + .7152 * g + .0722 * b
  }
  const ratio = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), poor = [], seen = new Set()
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement
    if (!node.data.trim() || !element.checkVisibility() || element.closest("script, textarea")) continue
    const below = behind(element), own = ratio(over(parse(getComputedStyle(element).color), below), below)
    seen.add(node)
    if (own < 4.5) poor.push([own.toFixed(2), element.className, node.data.slice(0, 40)])
  }
  return [seen.size, poor]"""

NAMES = """
  return [...document.querySelectorAll("button, input, select, textarea, summary, a, dialog, progress, "
      + "[tabindex], [role]")]
    .filter(element => !element.hidden && !element.matches("[role=presentation]"))
    .filter(element => !(element.getAttribute("aria-label") || element.textContent).trim())
    .map(element => element.outerHTML)"""


def test_access(browser, pages):
    """Contrast, names, the keyboard alone, and reduced motion."""
    for page in pages:
        browser.open(page)
        for scheme in ("light", "dark"):
            browser.emulate("prefers-color-scheme", scheme)
            browser.run("$('legend').open = true; pick(lateCommits[0] ?? commits.at(-1));"
                        "compareFrom(commits[0]); $('keys').show(); drawTimeline()")
            seen, poor = browser.run(CONTRAST)
            assert seen > 60, seen
            expect((page, scheme, poor), (page, scheme, []))
            # Each of the types' colors.
            for hue in browser.run("return hues"):
                browser.run("for (const each of document.querySelectorAll('[style*=\\-\\-hue]'))"
                            " each.style.setProperty('--hue', arguments[0])", hue)
                expect((hue, scheme, browser.run(CONTRAST)[1]), (hue, scheme, []))
            browser.run("$('keys').close()")
        expect(browser.run(NAMES), [])
    browser.open(pages[0])
    reached = set()
    for _ in range(60):
        browser.type(TAB)
        reached.add(browser.run("const own = document.activeElement; return own.id || own.localName"))
        outline = browser.run("const own = document.activeElement; return own == document.body"
                              " || own.id == 'list' || getComputedStyle(own).outlineStyle != 'none'")
        assert outline, browser.run("return document.activeElement.outerHTML")
    controls = {"find", "type", "go", "back", "play", "next", "help", "list", "detail", "summary", "a"}
    expect(controls - reached, set())
    browser.run("$('list').focus()")
    browser.type("l!")
    expect(browser.run("return [$('find').value, picked.late.word]"), ["is:late", "overtaken"])
    browser.type(ESCAPE + HOME + "l")
    browser.emulate("prefers-reduced-motion", "reduce")
    expect(browser.run("""return [isCalm(), document.getAnimations().length,
      [...document.querySelectorAll("*")].every(own => parseFloat(getComputedStyle(own).transitionDuration) == 0)]"""),
           [True, 0, True])
    browser.emulate("prefers-reduced-motion", "no-preference")
    expect_silence(browser, *pages)
