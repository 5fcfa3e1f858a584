// The list, whose rows are made as they are seen, and what it is filtered by.
const rowHeight = 24

const rows = () => shown ?? commits

function summary(told) {
  const [first, ...others] = told.changes ?? none
  if (!first) return told.unlistedChanges || told.uncompared ? "changed" : ""
  const more = others.length + (told.unlistedChanges ?? 0)
  return (first[0] && first[0] + ": ") + words(first) + (more ? `  +${more}` : "")
}

function words([, sign, a, b]) {
  if (sign == "+") return `added ${a}` + (b === undefined ? "" : ` at ${b}`)
  if (sign == "-") return `removed ${a}`
  if (sign == "m") return `moved from ${a} to ${b}`
  if (sign == "r") return `${counted(a, "element")} replaced by ${grouped(b)}`
  return a == b ? `${a} (no visible difference)` : `${a} → ${b}`
}

const dot = (commit, style) => el("i", { class: "dot" + (commit.late ? " late" : "")
  + (commit.cause || commit.by ? " caused" : ""), style: { "--hue": commit.type.hue, ...style } })

function row(commit, position) {
  const told = tell(commit)
  return el("div", { class: "row", role: "option", id: "c" + commit.number,
    "aria-selected": commit == picked, "aria-setsize": rows().length,
    "aria-posinset": position + 1, style: { top: px(position * rowHeight) },
    click: () => pick(commit) },
    el("span", {}, "#" + commit.number), el("span", {}, since(commit)),
    el("span", {}, told.cause ? `↳ ${told.cause.of ? "#" + told.cause.of : "start"}` : ""),
    el("span", {}, dot(commit),
      commit.late && el("span", { class: "tag" }, commit.late.word), told.intent),
    el("span", {}, summary(told)))
}

function drawList() {
  const list = $("list"), all = rows()
  $("rows").style.setProperty("--digits", `${String(commits.at(-1)?.number ?? 0).length + 1}ch`)
  $("rows").style.height = px(Math.max(all.length * rowHeight, 1))
  const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 4)
  const count = Math.ceil(list.clientHeight / rowHeight) + 9
  $("rows").replaceChildren(
    ...all.slice(first, first + count).map((commit, i) => row(commit, first + i)))
  if (picked) list.setAttribute("aria-activedescendant", "c" + picked.number)
  drawNote()
}

function drawNote() {
  const gone = (commits[0]?.number ?? 1) - 1
  const parts = [
    (shown ? grouped(shown.length) + " of " : "") + counted(commits.length, "commit"),
    done < lines.length && `reading, ${Math.floor(100 * done / lines.length)} %`,
    shown && searched < commits.length && "searching …",
    gone && counted(gone, "earlier one") + " not kept",
    missed && counted(missed, "line") + " missed",
    faults && counted(faults, "line") + " cannot be read",
    meta.live && connection]
  const note = parts.filter(Boolean).join(" · ")
  if ($("note").textContent != note) $("note").textContent = note
}

function reveal(commit) {
  const list = $("list"), position = placeOf(commit.number, rows())
  if (rows()[position] != commit) return
  const top = position * rowHeight - list.scrollTop, room = list.clientHeight - rowHeight
  if (top < 0 || top > room) list.scrollTop += top - room / 3
}

// Whether one path leads to the other, or through it.
const touches = (path, wanted) => path == "" || path == wanted || leads(path, wanted)
  || leads(wanted, path)
const leads = (path, to) => to.startsWith(path) && ".[".includes(to[path.length])

// What a commit has to be to be shown; null if all are.
function condition() {
  const text = $("find").value.trim().toLowerCase(), type = $("type").value
  if (!text && !type) return null
  const path = text.startsWith("path:") ? text.slice(5).trim() : null
  const has = value => typeof value == "string" && value.toLowerCase().includes(text)
  return commit => {
    if (type && commit.type.name != type) return false
    if (!text) return true
    const { intent, effects = none, began = none, changes = none } = tell(commit)
    if (path !== null) return changes.some(([own]) => touches(own.toLowerCase(), path))
    return [intent, effects, began, changes].flat(2).some(has)
  }
}

function filter() {
  isWanted = condition()
  shown = isWanted && []
  searched = 0
  $("list").scrollTop = 0
  work()
}

function drawTypes() {
  const chosen = $("type").value
  const sorted = [...types.values()].sort((a, b) => a.name < b.name ? -1 : 1)
  $("type").replaceChildren(el("option", { value: "" }, "All intents"),
    ...sorted.map(({ name, count }) => el("option", { value: name }, `${name} (${grouped(count)})`)))
  $("type").value = chosen
}
