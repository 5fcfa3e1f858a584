// The time line: commits above, each effect as a bar below them, in tracks by type.
const margin = 10, laneHeight = 17, headHeight = 15
let view = null, frame = 0, width = 1, tracks = [], height = 0
let layouts = 0, drawnView = ""

const runEnd = effect => effect.end || (effect.start ? end : Math.max(effect.last, effect.since))
const lastOf = effect => Math.max(runEnd(effect), effect.last)
const isDrawn = effect => effect.start || effect.end || effect.last

// Gives each effect a lane, so that overlapping bars are below one another.
function layOut() {
  bars = [...initial.values(), ...commits.flatMap(({ effects }) => effects)].filter(isDrawn)
  tracks = []
  height = 4
  layouts += 1
  for (const [type, members] of Map.groupBy(bars, ({ type }) => type)) {
    const lanes = [], ends = []
    for (const effect of members) {
      let lane = ends.findIndex(end => end < effect.since)
      if (lane < 0) lane = ends.length < 30 ? ends.length : ends.indexOf(Math.min(...ends))
      const before = lanes[lane] ??= []
      ends[lane] = lastOf(effect)
      effect.top = height + headHeight + lane * laneHeight
      effect.reach = Math.max(ends[lane], before.at(-1)?.reach ?? -Infinity)
      before.push(effect)
    }
    tracks.push({ type, lanes, top: height, count: members.length })
    height += headHeight + lanes.length * laneHeight
  }
}

const start = () => commits[0]?.time ?? 0
const span = () => [start(), Math.max(end, start() + 1e-6)]
const bounds = () => view ?? span()
const clamped = (n, low, high) => Math.min(Math.max(n, low), high)

// The position of a time; outside the view, a little beyond its edge.
function xOf(t) {
  const [from, to] = bounds()
  return clamped(margin + (t - from) / (to - from) * width, -9, width + 3 * margin)
}

function timeAt(x) {
  const [from, to] = bounds()
  return from + (x - margin) / width * (to - from)
}

function look(from, to) {
  const [first, last] = span(), length = clamped(to - from, 2e-5, last - first)
  from = clamped(from, first, last - length)
  view = length >= last - first ? null : [from, from + length]
  drawSoon()
}

function zoom(factor, part = picked ? (xOf(picked.time) - margin) / width : 0.5) {
  const [from, to] = bounds(), t = from + part * (to - from)
  look(t - (t - from) * factor, t + (to - t) * factor)
}

function pan(part) {
  const [from, to] = bounds(), by = (to - from) * part
  look(from + by, to + by)
}

// Brings the time of a commit into view.
function showTime({ time }) {
  if (!view) return
  const [from, to] = view, room = (to - from) / 20
  if (time < from + room || time > to - room) look(time - (to - from) / 2, time + (to - from) / 2)
}

const place = (kind, t, style, ...text) =>
  el("i", { class: kind, style: { left: px(xOf(t)), ...style } }, ...text)
const ofItem = (item, element) => Object.assign(element, { item })

function ticks() {
  const [from, to] = bounds(), least = (to - from) * 110 / width, list = []
  let unit = 10 ** Math.floor(Math.log10(least))
  unit *= [1, 2, 5, 10].find(n => n * unit >= least)
  for (let n = Math.ceil((from - start()) / unit); start() + n * unit <= to; n++) {
    const t = start() + n * unit, name = duration(+(n * unit).toPrecision(9))
      .replace(/\.?0+ s$/, " s")
    list.push(place("tick", t, {}, xOf(t) < width - 50 ? name : ""))
  }
  return list
}

// The visible elements of a sorted list, without those that others hide. The cost depends on the
// width, not on the length of the list.
function inSight(list, key, time) {
  const [from, to] = bounds(), seen = []
  for (let i = placeOf(from, list, key); i < list.length && list[i][time] <= to;) {
    seen.push(list[i])
    const next = timeAt(xOf(list[i][key]) + 4)
    i = list[i + 1]?.[key] < next ? Math.max(i + 1, placeOf(next, list, key)) : i + 1
  }
  return seen
}

const commitDot = commit => ofItem(commit, dot(commit, { left: px(xOf(commit.time)) }))

const isNear = ({ top }) => top > $("lanes").scrollTop - 40
  && top < $("lanes").scrollTop + $("lanes").clientHeight + 40

function barsInSight() {
  const lanes = tracks.flatMap(({ lanes }) => lanes).filter(([first]) => isNear(first))
  return lanes.flatMap(lane => inSight(lane, "reach", "since"))
}

// The visible bars of the selected commit's effects and of the effect that caused it.
function ownBars() {
  const [from, to] = bounds()
  return picked ? [...picked.effects, picked.by].filter(effect => effect?.reach && isNear(effect)
    && effect.since <= to && lastOf(effect) >= from) : none
}

// A bar's text: its commit, and the part of the effect's text that its track doesn't show.
function barText(effect) {
  const text = textOf(effect)
  const rest = text.slice(effect.type.name.length).replace(/\.scheduled\(.*/s, "")
  const inside = rest.replace(/^\((.*)\)$/, "$1")
  return (effect.commit ? `#${effect.commit.number} ` : "") + (effect.commit ? inside : text)
}

function effectBar(effect) {
  const { since, start, end, last, isCancelled, type, top, nth } = effect
  const left = xOf(since), from = xOf(start || since), to = Math.max(xOf(runEnd(effect)), from + 2)
  const bar = start || !end ? el("i", { class: (to - from > 16 ? `bar shade${nth % 3}` : "bar")
    + (start && end ? "" : " open"),
    style: { left: px(from - left), width: px(to - from) } }, to - from > 24 ? barText(effect) : "")
    : null
  const kind = `effect${isCancelled ? " canceled" : ""}`
  return ofItem(effect, place(kind, since, { top: px(top), "--hue": type.hue,
    width: px(Math.max(to, xOf(last)) - left) }, bar))
}

const trackName = ({ type, top, count }) => el("b", { class: "track hued",
  style: { top: px(top), "--hue": type.hue } }, `${type.name} · ${grouped(count)}`)

// The arrows from a commit to its effects, and from the effect that caused it.
function arrows(commit) {
  const kind = commit == picked || picked && commit.cause == picked ? " picked" : ""
  const arrow = (kind, t, { top }) => place("arrow " + kind, t, { height: px(top) })
  const down = commit.effects.filter(isDrawn)
    .map(effect => arrow("down" + kind, effect.since, effect))
  const late = commit.late ? " late" : ""
  return commit.by ? [...down, arrow("up" + kind + late, commit.time, commit.by)] : down
}

// Redraws everything independent of the selection only if the view changed, because it is slow.
function drawTimeline() {
  if (!bars) layOut()
  width = $("time").clientWidth - 2 * margin
  const [from, to] = bounds(), first = placeOf(from, commits, "time")
  const count = placeOf(to + 1e-6, commits, "time") - first
  const key = [from, to, width, $("lanes").scrollTop, innerHeight, layouts].join()
  if (key != drawnView) drawView(count)
  drawnView = key
  const told = new Set(count < 150 ? commits.slice(first, first + count) : none)
  for (const commit of picked ? [...picked.kids.slice(0, 200), picked] : none) told.add(commit)
  const mark = picked ? [commitDot(picked), place("now", picked.time)] : none
  mark[0]?.classList.add("picked")
  $("mark").replaceChildren(...mark)
  $("arrows").replaceChildren(...[...told].flatMap(arrows))
  $("own").replaceChildren(...ownBars().map(effectBar))
}

function drawView(count) {
  $("room").style.height = px(height + 4)
  $("ruler").replaceChildren(...ticks())
  $("commits").className = count > width / 7 ? "dense" : ""
  const seen = [...inSight(commits, "time", "time"), ...inSight(lateCommits, "time", "time")]
  $("dots").replaceChildren(...[...new Set(seen)].map(commitDot))
  $("bars").replaceChildren(...tracks.map(trackName), ...barsInSight().map(effectBar))
  drawBelow()
}

// Shows how many lanes are outside the view.
function drawBelow() {
  const { scrollTop, clientHeight } = $("lanes"), bottom = scrollTop + clientHeight - 8
  const below = tracks.flatMap(({ lanes }) => lanes).filter(([{ top }]) => top > bottom).length
  $("below").hidden = !below
  $("below").textContent = `${counted(below, "more lane")} ▾`
}

function drawSoon() {
  cancelAnimationFrame(frame)
  frame = requestAnimationFrame(drawTimeline)
}

let drag = null
const itemOf = ({ target }) => target.closest(".dot, .effect")?.item
on("time", "wheel", event => {
  event.preventDefault()
  const { deltaX, deltaY, shiftKey, clientX } = event
  if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) pan((deltaX || deltaY) / width)
  else zoom(1.0018 ** deltaY, (clientX - margin) / width)
}, { passive: false })
on("time", "pointerdown", ({ clientX: x, clientY: y }) => drag = { x, y, isMove: false })
addEventListener("pointermove", ({ clientX: x, clientY: y, buttons }) => {
  if (!drag || !buttons || !drag.isMove && Math.hypot(x - drag.x, y - drag.y) < 4) return
  pan((drag.x - x) / width)
  $("lanes").scrollTop += drag.y - y
  drag = { x, y, isMove: true }
})
on("time", "click", event => {
  const item = itemOf(event)
  if (item && !drag?.isMove) pick(item.number ? item : item.commit)
  drag = null
})
on("time", "pointerover", event => {
  const item = itemOf(event)
  if (item) event.target.title = item.number ? `#${item.number} ${tell(item).intent}`
    : `${textOf(item)} of #${item.commit?.number ?? 0}: ${course(item)}`
})
on("below", "click", () => $("lanes").scrollTop += $("lanes").clientHeight - laneHeight)
