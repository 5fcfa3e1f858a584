// Writes a run as a test in Swift. It copies a value's text as code only if that consists of
// literals, cases and initializers. Any other text becomes a comment of one line.
const nameOfType = /^[A-Z_]\w*(?:\.[A-Z_]\w*)*/
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu

// Whether a text is code: replaces literals and calls from the inside, until a single one is left.
function isCode(text) {
  let rest = text.replace(/"(?:[^"\\]|\\(?:[0tnr"'\\]|u\{[0-9A-Fa-f]{1,8}\}))*"/g,
    string => string.search(hidden) < 0 ? "0" : "?"), before
  rest = rest.replace(/(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])/g, "0")
    .replace(/(?<![\w.])(?:true|false|nil)(?![\w.(])/g, "0")
    .replace(/(?<![\w.)\]])\.[a-z]\w*(?![\w.(])/g, "0")
  const argument = "(?:[A-Za-z_]\\w*: )?0", list = own => `(?:${own}(?:, ${own})*)`
  const call = RegExp(`(?<![\\w.])(?:[A-Z_]\\w*(?:\\.[A-Z_]\\w*)*|\\.[a-z]\\w*)?\\(${list(argument)}?\\)`, "g")
  const collection = RegExp(`(?<![\\w.\\])])\\[(?:${list("0")}|${list("0: 0")}|:)?\\]`, "g")
  do {
    before = rest
    rest = rest.replace(call, "0").replace(collection, "0")
  } while (rest != before)
  return rest == "0"
}

// Whether an intent's text is code: its type with a case or an initializer.
function isIntentCode({ intent, type }) {
  const name = nameOfType.exec(intent)?.[0]
  return !type && !!name && isCode(intent.slice(name.length).replace(/^\(/, "X("))
}

const comment = text =>
  "// " + text.replace(hidden, character => `\\u{${character.codePointAt(0).toString(16)}}`)

function intentLines(commit) {
  const told = tell(commit), { by, cause } = commit
  const from = told.cause && (by ? `#${told.number} came from ${textOf(by).slice(0, 60)}`
    + (cause ? ` of #${cause.number}.` : ".") : `#${told.number} came from an effect.`)
  return [...from ? [comment(from)] : [], isIntentCode(told) ? `await test.send(${told.intent})`
    : comment(`Write #${told.number} here: ${told.intent}`)]
}

// Asserts the values of the properties that a commit changed.
function assertion(commit) {
  const { changes = none } = tell(commit), root = stateOf(commit)
  const names = new Set(changes.map(([path]) => /^[a-z_]\w*/i.exec(path)?.[0]))
  const values = (root?.parts ?? none).filter(({ step }) => names.has(step.slice(1)))
    .map(part => [part.step, inline(part, 200)])
    .filter(([step, value]) => /^\.[a-z_]\w*$/i.test(step) && value !== null && isCode(value))
  return values.length ? ["test.assert {", ...values.map(([step, value]) => `  $0${step} = ${value}`), "}"]
    : []
}

const mostCopied = 2000

// Writes a test that sends the intents up to a commit, one after the other.
function testOf(commit) {
  const all = commits.slice(0, placeOf(commit.number) + 1), some = all.slice(-mostCopied)
  const state = nameOfType.exec(meta.state)?.[0] == meta.state ? meta.state : "State"
  const gap = some[0].number > 1 ? [comment(`Begin with the state before #${some[0].number}.`)] : []
  const body = [...gap, `let test = TestStore(state: ${state}(), reducer: reducer, exhaustivity: .off)`,
    ...some.flatMap(intentLines), ...assertion(commit)]
  return ["import GlueTesting", "import Testing", "", `@Test func upToCommit${commit.number}() async {`,
    ...body.map(line => "  " + line), "}", ""].join("\n")
}

function showTest() {
  if (!picked) return
  $("code").value = testOf(picked)
  $("copy").textContent = "Copy"
  $("copied").showModal()
  $("code").select()
}

on("copy", "click", async () => {
  $("code").select()
  try {
    await navigator.clipboard.writeText($("code").value)
    $("copy").textContent = "Copied"
  } catch {
    $("copy").textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C"
  }
})
