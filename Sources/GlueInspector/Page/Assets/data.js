// Reads a run from lines of text. The page keeps little of each commit, and parses the line again
// to show the rest.
"use strict"
const $ = id => document.getElementById(id)
const on = (id, kind, act, options) => $(id).addEventListener(kind, act, options)
const px = n => n.toFixed(1) + "px"

// Makes an element with attributes, listeners and styles. Its children are elements or texts, and
// text is never HTML.
function el(tag, properties, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value == "function") element.addEventListener(name, value)
    else if (name != "style") element.setAttribute(name, value)
    else for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text)
  }
  element.append(...children.filter(child => child !== null))
  return element
}

let lines = $("data").textContent.split("\n")
const meta = JSON.parse(lines.shift()), none = []
let missed = 0, faults = 0

// The content of the lines read so far, the selected commit, and the shown commits: all, or those
// that match the condition.
let commits, types, kinds, initial, groups, done, end, picked, built, bars, drawn
let lateCommits, base, shown, searched, isWanted = null

function reset() {
  commits = [], types = new Map(), kinds = new Map(), initial = new Map(), groups = new Map()
  done = searched = drawn = 0, end = -Infinity
  picked = built = bars = base = null
  lateCommits = []
  shown = isWanted && []
}
reset()

const tell = commit => JSON.parse(lines[commit.line])
const head = text => /^[^\s("[{]+/.exec(text)?.[0] ?? text.slice(0, 40)

// The data shared by all intents, or all effects, of one name.
const hues = [255, 55, 155, 305, 5, 205, 90, 130, 280, 335]
function named(table, name) {
  let type = table.get(name)
  if (!type) table.set(name, type = { name, hue: hues[table.size % 10], count: 0, newest: null,
    flying: 0, crowded: 0 })
  type.count += 1
  return type
}

// The index of the first element in a sorted list that is not less than a value.
function placeOf(value, list = commits, key = "number") {
  let low = 0, high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle][key] < value) low = middle + 1
    else high = middle
  }
  return low
}

function numbered(number) {
  const commit = commits[placeOf(number)]
  return commit?.number === number ? commit : null
}

function readCommit(told, line) {
  if (!Number.isInteger(told.number) || !(Math.abs(told.time) < 8e12)) throw TypeError("no commit")
  end = Math.max(told.time, end)
  const commit = { line, number: told.number, time: end, hasState: !!told.state || base !== null, base,
    type: named(types, told.type ?? head(told.intent)), effects: none, kids: none,
    cause: null, by: null, late: null }
  commits.push(commit)
  base = null
  if (told.cause) readCause(commit, told.cause)
  const effects = (told.effects ?? none).map(text => newEffect(commit, text))
  for (const i of told.unhandled ?? none) if (effects[i]) effects[i].isUnhandled = true
  for (const [id, text] of told.began ?? none) effects.push(newEffect(commit, text, id))
  if (effects.length) commit.effects = effects
  for (const effect of effects) if (!effect.isUnhandled && effect.lasting === undefined) {
    effect.isFlying = true
    if (++effect.type.flying >= crowd) effect.type.crowded = commit.number
  }
  for (const [i, lane] of told.lanes ?? none) {
    if (!groups.has(lane)) groups.set(lane, [])
    if (effects[i]) groups.get(effects[i].group = lane).push(effects[i])
  }
}

function newEffect(commit, text, lasting) {
  const type = named(kinds, head(text))
  return { commit, lasting, type, nth: type.count, since: end, start: 0, end: 0, last: 0,
    isCancelled: false, isUnhandled: false, isFlying: false, group: null, lane: 0 }
}

function land(effect) {
  if (effect.isFlying) effect.type.flying -= 1
  effect.isFlying = false
}

// The effect that caused something. A lasting one has an id, and may be there from the beginning.
function effectOf({ effect, lasting, of }) {
  if (of === 0) {
    if (!initial.has(lasting)) initial.set(lasting, newEffect(null, lasting, lasting))
    return initial.get(lasting)
  }
  return numbered(of)?.effects.find((own, index) =>
    own.lasting === lasting && (lasting !== undefined || index === effect)) ?? null
}

// The text of an effect.
function textOf(effect) {
  const { commit, lasting } = effect
  if (!commit) return lasting
  const { effects, began } = tell(commit)
  return lasting === undefined ? effects[commit.effects.indexOf(effect)]
    : began.find(([id]) => id === lasting)[1]
}

// This many effects of one type in flight are parallel on purpose, so their replies have no order.
const crowd = 10

// Notes the effect that dispatched a commit. The commit is stale if the effect's lane has a later
// effect. Without a lane it is overtaken if a later effect of the same type has already dispatched,
// and few were in flight.
function readCause(commit, told) {
  const cause = commit.cause = numbered(told.of), by = commit.by = effectOf(told)
  if (cause?.kids === none) cause.kids = [commit]
  else cause?.kids.push(commit)
  if (!by) return
  by.last = commit.time
  if (!by.start) land(by)
  if (by.lasting !== undefined) return
  const { type, group } = by
  if (group) {
    const newest = newestOf(groups.get(group))?.commit ?? cause
    if (newest.number > cause.number) markLate(commit, "stale", newest)
  } else if (group === null && type.newest?.number > cause.number) {
    const isCrowded = type.crowded >= cause.number || by.end && type.count - by.nth >= crowd
    if (!isCrowded) markLate(commit, "overtaken", type.newest)
  } else if (group === null) type.newest = cause
}

// The newest effect of a lane, ignoring those dropped before they started.
function newestOf(lane) {
  while (lane.at(-1)?.isCancelled && !lane.at(-1).start) lane.pop()
  return lane.at(-1)
}

function markLate(commit, word, newer) {
  commit.late = { word, newer }
  lateCommits.push(commit)
}

function readEffect(told) {
  end = Math.max(end, told.time)
  const effect = effectOf(told)
  if (!effect) return
  const at = Math.max(told.time, effect.since)
  if (told.is == "started") effect.start = at
  else effect.end ||= at
  effect.isCancelled ||= told.is == "canceled"
  if (effect.end) land(effect)
}

function read(line) {
  try {
    const told = JSON.parse(lines[line])
    if (told.number !== undefined) readCommit(told, line)
    else if (told.is) readEffect(told)
    else if (told.dropped) missed += told.dropped
    if (told.base?.[0]?.state) base = line
  } catch {
    faults += 1
    lines[line] = ""
  }
}

function duration(seconds) {
  const s = Math.abs(seconds), sign = seconds < 0 ? "−" : ""
  const parts = [s / 3600, s / 60 % 60, s % 60]
  if (s >= 60) return sign + parts.map(n => String(Math.floor(n)).padStart(2, "0")).join(":")
  if (s >= 1) return `${sign}${s.toFixed(3)} s`
  if (s >= 0.001 || s == 0) return `${sign}${+(s * 1e3).toFixed(s < 0.1 ? 1 : 0)} ms`
  return `${sign}${Math.round(s * 1e6)} µs`
}

const since = ({ time }) => "+" + duration(time - commits[0].time)
const grouped = n => n.toLocaleString("en")
const counted = (n, noun) => `${grouped(n)} ${noun}${n == 1 ? "" : "s"}`
