"""The tools of a page: the difference of two states, and a run as a test."""
from webdriver import END, ENTER, ESCAPE, expect, expect_silence


def test_comparing(browser, page):
    """Comparing two states gives the changes between them."""
    browser.open(page)
    browser.type("g3" + ENTER + "m" + END)
    expect(browser.run("return compared.number"), 3)
    told = browser.text("#detail")
    assert "SINCE #3" in told and 'saved["glue"]' in told and "query" in told, told
    tree = ["", "A", "p", [[".a", "1"], [".b", "", "a", [["[id: 1]", "I", "p", [[".x", "1"]], 0]], 0],
                           [".c", "", "s", [["", "5"]], 0], [".d", "", "d", [['["k"]', "1"]], 0]], 0]
    other = ["", "A", "p", [[".a", "2"], [".b", "", "a", [["[id: 2]", "I", "p", [[".x", "1"]], 0],
                                                         ["[id: 1]", "I", "p", [[".x", "3"]], 0]], 0],
                            [".c", "", "s", [["", "6"]], 0], [".d", "", "d", [], 9]], 0]
    expect(browser.run("const list = []; differences(node(arguments[0]), node(arguments[1]), '', list);"
                       " return list", tree, other),
           [["a", "=", "1", "2"], ["b[id: 2]", "+", "I(x: 1)"], ["b[id: 1].x", "=", "1", "3"],
            ["c", "+", "6"], ["c", "-", "5"], ['d["k"]', "-", "1"], ["d", "r", 1, 9]])
    browser.click("#detail h3 button")
    expect(browser.run("return compared"), None)
    browser.type("m")
    browser.open(page)
    expect(browser.run("pick(commits[4]); compareFrom(picked); return document.querySelector"
                       "('#detail h3 + .dim')?.textContent.length > 0"), True)
    assert "The states are the same." in browser.text("#detail")
    expect_silence(browser, page)


def test_copying(browser, page, sample, hostile):
    """A run as a test: the sample's is compiled, and only literals are copied as code."""
    browser.open(page)
    browser.type(END + "t")
    browser.until("return $('copied').open")
    with open(sample, encoding="utf-8") as file:
        code = file.read()
    told = browser.run("return $('code').value")
    expect(told[told.index("@Test"):], code[code.index("@Test"):])
    expect([line for line in told.split("\n")[:2]], code.split("\n")[:2])
    browser.type(ESCAPE)
    expect(browser.run("return [picked.number, $('copied').open]"), [9, False])
    for text in ["exit(0)", "f()", ".a(exit(0))", "[f()]", "1; f()", "1\n2", '"\\(f())"', '"a" + b', "{ f() }",
                 ".a.b()", "A.b.c()", "Process.run(1)", "#file", "a", "", "`a`", '"\u202e"', "1 /* */", "x: 1",
                 ".a(b: )", "[1: 2, 3]", '"""', "'a'", "1 2", "try f", "A<f()>()", "0(0)", "0[0]", ".a().b"]:
        expect((text, browser.run("return isCode(arguments[0])", text)), (text, False))
    for text in ["1", "-1.5", "1e-07", "nil", "true", ".a", ".a(1, b: .c)", "A()", "A.B(c: [1, 2])", "[:]",
                 '["a": .b("\\n\\\\(")]', "(1, x: 2)", '"é 漢"', "[A(b: C(d: []))]"]:
        expect((text, browser.run("return isCode(arguments[0])", text)), (text, True))
    browser.open(hostile)
    lines = browser.run("return testOf(commits.at(-1))").split("\n")
    sends = [line for line in lines if "await" in line or "Write #" in line]
    expect([line for line in sends if not line.startswith("  // Write #")], [])
    expect(len(sends), browser.run("return commits.length"))
    expect_silence(browser, page, hostile)
