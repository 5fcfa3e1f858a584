// The list and its filter. Only visible rows exist.
const rowHeight = 24
let query = null, queryCount = 0, tellSearcher = startSearcher()

const rows = () => shown ?? commits

const linesOf = list => list.map(({ line }) => lines[line])

// Starts the search. If the page may have no worker, the search in the page gets all lines again.
function startSearcher() {
  const own = { postMessage: data => addFound({ data }) }
  const useOwn = () => {
    searching(own)
    tellSearcher = data => own.onmessage({ data })
    tellSearcher({ isNew: true, lines: linesOf(commits) })
    if (query) filter()
  }
  try {
    const code = new Blob([`(${searching})(self)`], { type: "text/javascript" })
    const worker = new Worker(URL.createObjectURL(code))
    worker.onmessage = addFound
    worker.onerror = useOwn
    worker.postMessage({ isNew: true })
    return data => worker.postMessage(data)
  } catch {
    setTimeout(useOwn)
    return () => {}
  }
}

// How much a change says: a number that changes says little.
function interest([path, sign, a, b]) {
  const isNumber = text => /^-?[\d.]+$/.test(text)
  if ("+-".includes(sign)) return 4
  if (sign == "m" || a == b) return 0
  return sign == "r" ? 3 : isNumber(a) && isNumber(b) ? 1 : /^(true|false)$/.test(b) ? 2 : 3
}

function summary(told) {
  const { changes = none, unlistedChanges = 0 } = told, scores = changes.map(interest)
  const first = changes[scores.indexOf(Math.max(...scores))]
  if (!first) return unlistedChanges || told.uncompared ? "changed" : ""
  const more = changes.length - 1 + unlistedChanges
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
    el("span", {}, dot(commit), tag(commit), told.intent),
    el("span", {}, summary(told)))
}

const tag = ({ late }) => late && el("span", { class: "tag" }, late.word)

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
  const gone = (commits[0]?.number ?? 1) - 1, isReading = done < lines.length
  const parts = [
    (shown ? grouped(shown.length) + " of " : "") + counted(commits.length, "commit"),
    isReading && `reading, ${Math.floor(100 * done / lines.length)} %`,
    shown && query && !query.isDone && "searching …",
    gone && counted(gone, "earlier one") + " not kept",
    missed && counted(missed, "line") + " missed",
    faults && counted(faults, "line") + " cannot be read",
    meta.live && connection]
  const note = parts.filter(Boolean).join(" · ")
  if ($("note").textContent != note) $("note").textContent = note
  $("progress").hidden = !isReading
  $("progress").value = done / (lines.length || 1)
  $("late").hidden = !lateCommits.length
  $("late").textContent = `${grouped(lateCommits.length)} late repl${lateCommits.length == 1 ? "y" : "ies"}`
}

function reveal(commit) {
  const list = $("list"), position = placeOf(commit.number, rows())
  if (rows()[position] != commit) return
  const top = position * rowHeight - list.scrollTop, room = list.clientHeight - rowHeight
  if (top < 0 || top > room) list.scrollTop += top - room / 3
}

// Filters by the data that the page keeps of each commit. The search compares the texts.
function filter() {
  const text = $("find").value.trim().toLowerCase(), type = $("type").value
  const word = /^is:(late|stale|overtaken)$/.exec(text)?.[1]
  const path = text.startsWith("path:") ? text.slice(5).trim() : null
  isWanted = text || type ? ({ type: { name }, late }) => (!type || name == type)
    && (!word || late && (word == "late" || late.word == word)) : null
  query = text && !word ? { id: ++queryCount, text, path, isDone: false } : null
  shown = isWanted && (query ? [] : commits.filter(isWanted))
  searched = query ? 0 : commits.length
  $("list").scrollTop = 0
  tellSearcher({ wanted: query && { id: query.id, text, path } })
  drawList()
}

function addFound({ data: { id, found, searched: count, isDone } }) {
  if (id !== query?.id) return
  for (const number of found) {
    const commit = numbered(number)
    if (commit && isWanted(commit)) shown.push(commit)
  }
  searched = count
  query.isDone = isDone
  drawList()
}

function drawTypes() {
  const chosen = $("type").value
  const sorted = [...types.values()].sort((a, b) => a.name < b.name ? -1 : 1)
  $("type").replaceChildren(el("option", { value: "" }, "All intents"),
    ...sorted.map(({ name, count }) => el("option", { value: name }, `${name} (${grouped(count)})`)))
  $("type").value = chosen
  const most = [...types.values()].sort((a, b) => b.count - a.count).slice(0, 12)
  $("key").replaceChildren(...most.map(({ name, hue }) => el("button", { title: "Only " + name,
    click: () => {
      $("type").value = name
      filter()
    } }, el("i", { class: "dot", style: { "--hue": hue } }), name)),
    types.size > most.length ? `and ${types.size - most.length} more types` : "")
}
