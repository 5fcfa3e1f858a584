// The time line: commits above, each effect as a bar below them, in lanes by type.
const margin = 10, laneHeight = 17
let view = null, lanes = 0, frame = 0, width = 1

const runEnd = effect => effect.end || (effect.start ? end : Math.max(effect.last, effect.since))
const lastOf = effect => Math.max(runEnd(effect), effect.last)
const isDrawn = effect => effect.start || effect.end || effect.last

// Gives each effect a lane, so that those that overlap are below one another.
function layOut() {
  bars = [...initial.values(), ...commits.flatMap(({ effects }) => effects)].filter(isDrawn)
  lanes = 0
  for (const members of Map.groupBy(bars, ({ type }) => type).values()) {
    const ends = []
    for (const effect of members) {
      let lane = ends.findIndex(end => end < effect.since)
      if (lane < 0) lane = ends.length < 30 ? ends.length : ends.indexOf(Math.min(...ends))
      ends[lane] = lastOf(effect)
      effect.lane = lanes + lane
    }
    lanes += ends.length
  }
}

const start = () => commits[0]?.time ?? 0
const span = () => [start(), Math.max(end, start() + 1e-6)]
const bounds = () => view ?? span()
const clamped = (n, low, high) => Math.min(Math.max(n, low), high)

// Where a time is, or a little outside.
function xOf(t) {
  const [from, to] = bounds()
  return clamped(margin + (t - from) / (to - from) * width, -9, width + 3 * margin)
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

// Has the time of a commit in sight.
function showTime({ time }) {
  if (!view) return
  const [from, to] = view, room = (to - from) / 20
  if (time < from + room || time > to - room) look(time - (to - from) / 2, time + (to - from) / 2)
}

const place = (kind, t, style, ...text) =>
  el("i", { class: kind, style: { left: px(xOf(t)), ...style } }, ...text)
const ofItem = (item, element) => Object.assign(element, { item })
const laneTop = effect => 8 + effect.lane * laneHeight

function ticks() {
  const [from, to] = bounds(), least = (to - from) * 110 / width, list = []
  let unit = 10 ** Math.floor(Math.log10(least))
  unit *= [1, 2, 5, 10].find(n => n * unit >= least)
  for (let n = Math.ceil((from - start()) / unit); start() + n * unit <= to; n++) {
    const t = start() + n * unit, name = duration(+(n * unit).toPrecision(9))
    list.push(place("tick", t, {}, xOf(t) < width - 50 ? name : ""))
  }
  return list
}

// Those that are in one of the lanes, but for those that others hide there.
function seenOf(items, lane, time) {
  const before = []
  return items.filter(item => {
    const x = xOf(time(item))
    if (x - before[lane(item)] < 4 && item != picked) return false
    before[lane(item)] = x
    return true
  })
}

function commitDot(commit) {
  const own = dot(commit, { left: px(xOf(commit.time)) })
  if (commit == picked) own.classList.add("picked")
  return ofItem(commit, own)
}

function barsInSight([from, to]) {
  const { scrollTop, clientHeight } = $("lanes")
  const first = scrollTop / laneHeight - 2, last = first + clientHeight / laneHeight + 3
  return bars.filter(effect => effect.lane > first && effect.lane < last
    && effect.since <= to && lastOf(effect) >= from)
}

const isPicked = effect => picked && (effect.commit == picked || effect == picked.by)

function effectBar(effect) {
  const { since, start, end, last, isCancelled, type } = effect
  const left = xOf(since), from = xOf(start || since), to = Math.max(xOf(runEnd(effect)), from + 2)
  const bar = start || !end ? el("i", { class: start && end ? "bar" : "bar open",
    style: { left: px(from - left), width: px(to - from) } }, to - from > 36 ? textOf(effect) : "")
    : null
  const kind = `effect${isPicked(effect) ? " picked" : ""}${isCancelled ? " cancelled" : ""}`
  return ofItem(effect, place(kind, since, { top: px(laneTop(effect)), "--hue": type.hue,
    width: px(Math.max(to, xOf(last)) - left) }, bar))
}

// The arrows from a commit to its effects, and from the effect that caused it.
function arrows(commit) {
  const kind = commit == picked || picked && commit.cause == picked ? " picked" : ""
  const arrow = (kind, t, effect) => place("arrow " + kind, t, { height: px(laneTop(effect)) })
  const down = commit.effects.filter(isDrawn)
    .map(effect => arrow("down" + kind, effect.since, effect))
  const late = commit.late ? " late" : ""
  return commit.by ? [...down, arrow("up" + kind + late, commit.time, commit.by)] : down
}

function drawTimeline() {
  if (!bars) layOut()
  width = $("time").clientWidth - 2 * margin
  const [from, to] = bounds()
  const seen = commits.slice(placeOf(from, commits, "time"), placeOf(to + 1e-6, commits, "time"))
  const told = new Set(seen.length < 150 ? seen : none)
  for (const commit of picked ? [...picked.kids.slice(0, 200), picked] : none) told.add(commit)
  $("lanes").style.height = px(laneTop({ lane: Math.max(lanes, 1) }) + 4)
  $("ruler").replaceChildren(...ticks(), picked ? place("now", picked.time) : "")
  $("commits").className = seen.length > width / 7 ? "dense" : ""
  $("commits").replaceChildren(
    ...seenOf(seen, ({ late }) => late ? 1 : 0, ({ time }) => time).map(commitDot))
  $("lanes").replaceChildren(
    ...seenOf(barsInSight([from, to]), ({ lane }) => lane, lastOf).map(effectBar),
    ...[...told].flatMap(arrows))
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
