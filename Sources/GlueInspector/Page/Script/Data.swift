/// What has happened, from lines of text: a few numbers of each commit are kept; the rest is parsed
/// again where it is shown.
let dataScript = #"""
  "use strict"
  const $ = id => document.getElementById(id)

  // An element with properties, whose children are elements or texts: text is never HTML.
  function el(tag, properties, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(properties ?? {})) {
      if (typeof value == "function") element.addEventListener(name, value)
      else if (name == "class") element.className = value
      else element.setAttribute(name, value)
    }
    element.append(...children.filter(child => child !== null && child !== undefined))
    return element
  }

  let lines = $("data").textContent.split("\n")
  const meta = JSON.parse(lines.shift())
  let at, number, time, cause, type, effects, states, late, kids, missed, faults, done, end, initial
  let types, heads, version = 0

  function reset() {
    at = [], number = [], time = [], cause = [], type = [], effects = [], states = []
    late = new Set(), kids = new Map(), types = new Map(), heads = new Map()
    initial = new Map()
    missed = 0, faults = 0, done = 0, end = -Infinity
  }
  reset()

  const count = () => number.length
  const commit = index => JSON.parse(lines[at[index]])
  const head = text => /^[^\s("[{]+/.exec(text)?.[0] ?? text.slice(0, 40)

  function identify(table, name) {
    let entry = table.get(name)
    if (!entry) table.set(name, entry = { name, id: table.size, count: 0, newest: -1 })
    entry.count += 1
    return entry
  }

  // The first position in a sorted array at which there is no less than this.
  function lowerBound(array, value) {
    let low = 0, high = array.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (array[middle] < value) low = middle + 1
      else high = middle
    }
    return low
  }

  // The index of the commit with this number, or -1.
  function indexOf(wanted) {
    const guess = wanted - number[0]
    if (number[guess] === wanted) return guess
    const index = lowerBound(number, wanted)
    return number[index] === wanted ? index : -1
  }

  function readCommit(told, line) {
    const index = count()
    at.push(line)
    number.push(told.number)
    time.push(end = Math.max(told.time, end))
    type.push(identify(types, told.type ?? head(told.intent)))
    if (told.state) states.push(index)
    const own = (told.effects ?? []).map(text => newEffect(index, text))
    for (const i of told.unhandled ?? []) if (own[i]) own[i].isUnhandled = true
    own.push(...(told.began ?? []).map(([id, text]) => newEffect(index, text, id)))
    effects.push(own.length ? own : undefined)
    const from = told.cause ? indexOf(told.cause.of) : -1
    cause.push(from)
    if (told.cause) readCause(from, effectOf(told.cause), index)
  }

  const newEffect = (index, text, lasting) => ({
    commit: index, lasting, type: identify(heads, head(text)), since: end, start: 0, end: 0,
    last: 0, isCancelled: false, isUnhandled: false, lane: 0
  })

  // The effect that something comes from: lasting ones have an id, and may last from the beginning.
  function effectOf({ effect, lasting, of }) {
    if (of === 0) {
      if (!initial.has(lasting)) initial.set(lasting, newEffect(-1, lasting, lasting))
      return initial.get(lasting)
    }
    const own = effects[indexOf(of)]
    if (lasting !== undefined) return own?.find(effect => effect.lasting === lasting)
    return own?.[effect]?.lasting === undefined ? own?.[effect] : undefined
  }

  // How an effect was written.
  function textOf(effect) {
    if (effect.commit < 0) return effect.lasting
    const told = commit(effect.commit), index = effects[effect.commit].indexOf(effect)
    return told.effects?.[index] ?? told.began.find(([id]) => id === effect.lasting)[1]
  }

  // An effect has dispatched; it is late if one of its type has that was emitted after it.
  function readCause(from, effect, index) {
    if (!kids.has(from)) kids.set(from, [])
    kids.get(from).push(index)
    if (!effect) return
    effect.last = time[index]
    if (effect.lasting !== undefined) return
    if (effect.type.newest > from) late.add(index)
    else effect.type.newest = from
  }

  function readEffect(told) {
    end = Math.max(end, told.time)
    const effect = effectOf(told)
    if (!effect) return
    const at = Math.max(told.time, effect.since)
    if (told.is == "started") effect.start = at
    else if (told.is == "ended") effect.end ||= at
    else {
      effect.isCancelled = true
      effect.end ||= at
    }
  }

  function read(line) {
    let told
    try { told = JSON.parse(lines[line]) } catch { faults += 1; return }
    if (told.number !== undefined) readCommit(told, line)
    else if (told.is) readEffect(told)
    else missed += told.dropped ?? 0
  }

  // Reads what is there, for a few milliseconds; returns whether that was all.
  function readSome() {
    const stop = performance.now() + 25
    while (done < lines.length && performance.now() < stop) {
      for (let n = 0; n < 50 && done < lines.length; n++, done++) if (lines[done]) read(done)
    }
    version += 1
    return done == lines.length
  }

  function duration(seconds) {
    const s = Math.abs(seconds), sign = seconds < 0 ? "−" : ""
    const two = n => String(Math.floor(n)).padStart(2, "0")
    if (s >= 3600) return `${sign}${Math.floor(s / 3600)}:${two(s / 60 % 60)}:${two(s % 60)}`
    if (s >= 60) return `${sign}${Math.floor(s / 60)}:${two(s % 60)}${(s % 1).toFixed(2).slice(1)}`
    if (s >= 1) return `${sign}${s.toFixed(s < 10 ? 3 : 2)} s`
    if (s >= 0.001 || s == 0) return `${sign}${+(s * 1e3).toFixed(s < 0.1 ? 1 : 0)} ms`
    return `${sign}${Math.round(s * 1e6)} µs`
  }

  const since = index => "+" + duration(time[index] - time[0])
  const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n == 1 ? "" : "s"}`

  """#
