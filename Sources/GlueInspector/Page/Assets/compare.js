// Compares two commits: the differences between the states after them.
let compared = null
const mostDifferences = 200

const stepOf = ({ kind }, part, index) => kind == "s" ? part.text : part.step || `[${index}]`
const brief = own => own.parts ? inline(own, 160) ?? own.text + bracket(own) : own.text
const bracket = ({ kind, parts, more }) => kind == "p" ? "(…)" : kind == "e" ? "(…)"
  : `[${counted(parts.length + more, kind == "d" ? "key" : "element")}]`

// Adds the differences between two parts of one place, in the form of a commit's changes.
function differences(a, b, path, list) {
  if (!a.parts || !b.parts || a.kind != b.kind || a.text != b.text) {
    const [was, is] = [brief(a), brief(b)]
    if (was != is) list.push([path, "=", was, is])
    return
  }
  const old = new Map(a.parts.map((part, i) => [stepOf(a, part, i), part]))
  b.parts.forEach((part, i) => {
    const step = stepOf(b, part, i), own = (path + (b.kind == "s" ? "" : step)).replace(/^\./, "")
    const before = old.get(step)
    old.delete(step)
    if (before) differences(before, part, own, list)
    else list.push([own, "+", brief(part)])
  })
  for (const [step, part] of old)
    list.push([(path + (a.kind == "s" ? "" : step)).replace(/^\./, ""), "-", brief(part)])
  if (a.more != b.more) list.push([path, "r", a.parts.length + a.more, b.parts.length + b.more])
}

const hasStale = ({ isStale, parts }) => isStale || !!parts?.some(hasStale)

function compareSection(commit) {
  if (!compared) return null
  const { number, root } = compared, own = stateOf(commit), list = []
  const title = [`Since #${number} `, el("button", { click: () => compareFrom(null) }, "Stop comparing")]
  if (!own) return section(title, dim("The state here is not known."))
  differences(root, own, "", list)
  const items = list.slice(0, mostDifferences).map(changeItem)
  if (list.length > items.length)
    items.push(dim(`and ${counted(list.length - items.length, "difference")} more`))
  return section(title, items.length ? el("ul", {}, ...items) : dim("The states are the same."),
    hasStale(root) || hasStale(own) ? dim("Parts of these states are not known.") : null)
}

// Compares each selected commit with this one from now on; null ends comparing.
function compareFrom(commit) {
  const root = commit && stateOf(commit)
  compared = root ? { number: commit.number, root: structuredClone(root) } : null
  drawDetail()
}
