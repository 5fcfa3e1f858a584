// Handles keys, buttons and the pointer, and starts the page.
let player = 0, turn = 0, typing = 0, connection = "connecting"

function pick(commit) {
  if (!commit) return
  picked = commit
  reveal(commit)
  showTime(commit)
  drawList()
  drawSoon()
  drawDetail()
  $("detail").scrollTop = 0
  $("go").value = ""
}

// Selects a link's commit, so that the browser's Back returns to this one.
function follow(commit) {
  if (!commit) return
  history.replaceState(null, "", "#" + picked.number)
  history.pushState(null, "", "#" + commit.number)
  pick(commit)
}

function step(by) {
  const all = rows(), position = picked ? placeOf(picked.number, all) : -1
  const from = by > 0 && picked && all[position] != picked ? position - 1 : position
  pick(all[clamped(from + by, 0, all.length - 1)])
}

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches

// Plays the commits at their original pace, but shortens long waits and slows bursts.
function play(isOn = !player) {
  clearTimeout(player)
  const next = picked && rows()[placeOf(picked.number + 1, rows())]
  player = isOn && next ? setTimeout(() => {
    pick(next)
    play(true)
  }, clamped(next.time - picked.time, isCalm() ? 1 : 0.08, 1.2) * 1000) : 0
  $("play").textContent = player ? "❚❚" : "▶"
  $("play").setAttribute("aria-label", player ? "Pause" : "Play")
}

function findPath(path) {
  $("find").value = "path:" + path
  filter()
  $("list").focus()
}

function findLate() {
  $("find").value = "is:late"
  filter()
  pick(shown[0])
  $("list").focus()
}

function go(text) {
  const commit = numbered(+text.replace("#", ""))
  $("go").setAttribute("aria-invalid", !commit)
  $("go").title = commit ? "Go to number ( g )" : `There is no commit ${text} here.`
  if (!commit) return
  follow(commit)
  $("list").focus()
}

function clear() {
  play(false)
  $("list").focus()
  clearTimeout(typing)
  if (!shown && !$("find").value) return
  $("find").value = $("type").value = ""
  filter()
  if (picked) reveal(picked)
}

const page = () => Math.max(1, Math.floor($("list").clientHeight / rowHeight) - 1)
const actions = [
  ["j ArrowDown", "next commit", () => step(1)],
  ["k ArrowUp", "previous commit", () => step(-1)],
  ["PageDown", "a page on", () => step(page())],
  ["PageUp", "a page back", () => step(-page())],
  ["Home", "first commit", () => step(-commits.length)],
  ["End", "last commit", () => step(commits.length)],
  ["c ArrowLeft", "what caused it", () => follow(picked?.cause)],
  ["e ArrowRight", "what its effects led to", () => follow(picked?.kids[0])],
  ["Space", "play, or pause", () => play()],
  ["g", "go to a number", () => $("go").focus()],
  ["/", "filter", () => $("find").select()],
  ["Escape", "show all commits", clear],
  ["+ =", "zoom in", () => zoom(0.6)],
  ["-", "zoom out", () => zoom(1 / 0.6)],
  ["0", "the whole run", () => look(...span())],
  ["m", "compare from here, or no more", () => compareFrom(compared ? null : picked)],
  ["t", "copy as test", showTest],
  ["!", "stale and overtaken replies", findLate],
  ["l", "legend", () => $("legend").open = !$("legend").open],
  ["?", "these keys", () => $("keys").showModal()],
]

addEventListener("keydown", event => {
  const { ctrlKey, metaKey, altKey, target } = event, key = event.key.replace(/^ $/, "Space")
  if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return
  if (target.closest("input, select") && key != "Escape") {
    if (key != "Enter") return
    if (target.id == "go") go(target.value)
    else $("list").focus()
    return event.preventDefault()
  }
  if (target.closest("button, summary, a") && /Space|Enter/.test(key)) return
  if (target.id == "detail" && /Arrow[UD]|Page|Home|End|Space/.test(key)) return
  const action = actions.find(([keys]) => keys.split(" ").includes(key))
  if (!action) return
  event.preventDefault()
  action[2]()
})

on("find", "input", () => {
  clearTimeout(typing)
  typing = setTimeout(filter, 30)
})
on("type", "change", filter)
on("back", "click", () => step(-1))
on("next", "click", () => step(1))
on("play", "click", () => play())
on("late", "click", findLate)
on("help", "click", () => $("keys").showModal())
on("list", "scroll", drawList)
on("lanes", "scroll", drawSoon)
addEventListener("resize", () => {
  drawList()
  drawSoon()
})
addEventListener("popstate", () => pick(numbered(+location.hash.slice(1))))

const signs = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" }
$("keyTable").append(...actions.map(([keys, title]) => el("tr", {}, el("td", {},
  ...keys.split(" ").flatMap(key => [el("kbd", {}, signs[key] ?? key), " "])),
  el("td", {}, title))))

// Reads the lines, a few milliseconds at a time, and shows the progress.
function work() {
  clearTimeout(turn)
  turn = 0
  const stop = performance.now() + 40, from = done, first = commits.length
  const isFollowing = meta.live && picked && picked == commits.at(-1)
  while (done < lines.length && performance.now() < stop)
    for (let n = 0; n < 50 && done < lines.length; n++, done++) if (lines[done]) read(done)
  tellSearcher({ lines: linesOf(commits.slice(first)) })
  if (shown && !query) {
    for (const commit of commits.slice(first)) if (isWanted(commit)) shown.push(commit)
    searched = commits.length
  }
  show(done > from, isFollowing)
  if (done < lines.length) turn = setTimeout(work)
}

function show(isNew, isFollowing) {
  const isAll = done == lines.length
  if (isNew) bars = null
  if (isNew && (isAll || commits.length > 4 * drawn)) {
    drawn = commits.length
    drawTypes()
    drawSoon()
  }
  if (isFollowing || !picked) pick(commits.at(isFollowing ? -1 : 0))
  if (isNew && isAll || !picked) drawDetail()
  if (isAll) drawList()
  else drawNote()
}

function restart() {
  reset()
  tellSearcher({ isNew: true })
  if (isWanted) filter()
}

// Removes the oldest commits when there are twice as many as the inspector keeps. The first commit
// that stays has a known state.
function forget() {
  if (commits.length < 2 * meta.limit) return
  const number = picked?.number
  let first = commits.length - meta.limit
  while (first > 0 && !commits[first].hasState) first -= 1
  if (!first) return
  lines = lines.slice(commits[first].base ?? commits[first].line)
  restart()
  for (; done < lines.length; done++) if (lines[done]) read(done)
  tellSearcher({ lines: linesOf(commits) })
  picked = numbered(number)
}

// Listens to a server that sends an inspector's lines. Each new connection starts from the first.
function listen() {
  const source = new EventSource(meta.live)
  source.onopen = () => {
    lines = []
    missed = faults = 0
    restart()
    connection = "live"
    drawSoon()
    work()
  }
  source.onerror = () => {
    connection = "no connection"
    drawNote()
  }
  source.onmessage = ({ data }) => {
    lines.push(data)
    turn ||= setTimeout(() => {
      forget()
      work()
    }, 50)
  }
}

$("legend").open = innerWidth > 760
$("name").textContent = meta.state
document.title = `${meta.state} – Glue`
work()
if (meta.live) listen()
$("list").focus()
