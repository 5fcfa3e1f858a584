/// The time line: commits above, each effect as a bar below them, in lanes by type.
let timelineScript = #"""
  const canvas = $("canvas"), ruler = 20, commitY = 34, laneTop = 52, laneHeight = 17, margin = 10
  let view = null, lanes = 0, lanesOf = -1, allEffects = [], groups = [], scrollY = 0, hits = []

  const runEnd = effect => effect.end || (effect.start ? end : Math.max(effect.last, effect.since))
  const isDrawn = effect => effect.start || effect.end || effect.last

  // Gives each effect a lane, so that those that overlap are below one another.
  function layOut() {
    lanesOf = version
    allEffects = [[...initial.values()], ...effects].flatMap(list => list?.filter(isDrawn) ?? [])
    const byType = Map.groupBy(allEffects, effect => effect.type)
    lanes = 0
    groups = []
    for (const [type, members] of byType) {
      const ends = []
      for (const effect of members) {
        let lane = ends.findIndex(end => end <= effect.since)
        if (lane < 0) lane = ends.length < 30 ? ends.length : ends.indexOf(Math.min(...ends))
        ends[lane] = runEnd(effect) + 1e-9
        effect.lane = lanes + lane
      }
      groups.push({ type, lane: lanes })
      lanes += ends.length
    }
  }

  const span = () => [time[0] ?? 0, Math.max(end, (time[0] ?? 0) + 1e-6)]
  const bounds = () => view ?? span()
  const width = () => canvas.clientWidth - 2 * margin
  const xOf = (t, [from, to] = bounds()) => margin + (t - from) / (to - from) * width()
  const timeAt = (x, [from, to] = bounds()) => from + (x - margin) / width() * (to - from)

  function look(from, to) {
    const [first, last] = span(), length = Math.min(Math.max(to - from, 2e-5), last - first)
    from = Math.min(Math.max(from, first), last - length)
    view = length >= last - first ? null : [from, from + length]
    drawSoon()
  }

  function zoom(factor, x = picked < 0 ? canvas.clientWidth / 2 : xOf(time[picked])) {
    const [from, to] = bounds(), t = timeAt(x)
    look(t - (t - from) * factor, t + (to - t) * factor)
  }

  function pan(part) {
    const [from, to] = bounds(), by = (to - from) * part
    look(from + by, to + by)
  }

  // Has the time of a commit in sight.
  function showTime(index) {
    if (!view) return
    const [from, to] = view, t = time[index], room = (to - from) / 20
    if (t < from + room || t > to - room) look(t - (to - from) / 2, t + (to - from) / 2)
  }

  // Zooms to the selected commit, what led to it and what it led to.
  function zoomToPicked() {
    if (picked < 0) return
    const around = [time[picked]]
    if (cause[picked] >= 0) around.push(time[cause[picked]])
    for (const effect of effects[picked] ?? []) if (isDrawn(effect)) around.push(runEnd(effect))
    const from = Math.min(...around), to = Math.max(...around), room = (to - from) / 4 || 0.05
    look(from - room, to + room)
  }

  function drawRuler(pen, css, height) {
    const [from, to] = bounds(), least = (to - from) * 110 / width()
    let unit = 10 ** Math.floor(Math.log10(least))
    unit *= [1, 2, 5, 10].find(n => n * unit >= least)
    pen.strokeStyle = css("--line")
    pen.fillStyle = css("--dim")
    const zero = time[0] ?? 0
    for (let n = Math.ceil((from - zero) / unit); zero + n * unit <= to; n++) {
      const x = Math.round(xOf(zero + n * unit)) + 0.5
      pen.beginPath()
      pen.moveTo(x, ruler - 5)
      pen.lineTo(x, height)
      pen.stroke()
      const name = duration(+(n * unit).toPrecision(9))
      if (x + 4 + pen.measureText(name).width < canvas.clientWidth) pen.fillText(name, x + 4, 13)
    }
  }

  function drawCommits(pen, css) {
    const [from, to] = bounds(), first = lowerBound(time, from), last = lowerBound(time, to + 1e-9)
    const isDense = last - first > width() / 7
    let before = -9
    for (let index = first; index < last; index++) {
      const x = xOf(time[index])
      if (isDense && x - before < 1 && !late.has(index)) continue
      before = x
      pen.fillStyle = late.has(index) ? css("--warn") : color(type[index])
      pen.beginPath()
      if (late.has(index)) pen.roundRect(x - 4, commitY - 8, 8, 16, 4)
      else if (isDense) pen.rect(x - 0.75, commitY - 6, 1.5, 12)
      else pen.arc(x, commitY, cause[index] >= 0 ? 3 : 4.5, 0, 7)
      pen.fill()
      hits.push({ x, y: commitY, index })
    }
    return { first, last }
  }

  const laneY = lane => laneTop + lane * laneHeight - scrollY

  function drawEffect(pen, css, effect, isPicked) {
    const y = laneY(effect.lane), start = effect.start || effect.since
    const x0 = xOf(effect.since), x1 = xOf(start), x2 = Math.max(xOf(runEnd(effect)), x1 + 2)
    if (x2 < 0 || x0 > canvas.clientWidth || y < laneTop - laneHeight || y > canvas.clientHeight) {
      return
    }
    const hue = alpha => color(effect.type, alpha), isKnown = effect.start > 0
    pen.fillStyle = hue(isPicked ? 1 : 0.55)
    if (x1 - x0 > 1) pen.fillRect(x0, y + 6, x1 - x0, 1.5)
    if (effect.last > effect.end) pen.fillRect(x2, y + 6, Math.max(xOf(effect.last) - x2, 0), 1.5)
    if (isKnown || !effect.end) {
      pen.fillStyle = hue(effect.isCancelled ? 0.13 : isPicked ? 0.42 : 0.24)
      pen.fillRect(x1, y, x2 - x1, laneHeight - 4)
      pen.strokeStyle = isPicked ? css("--accent") : hue(effect.isCancelled ? 0.45 : 0.9)
      pen.setLineDash(isKnown && effect.end ? [] : [3, 3])
      if (x2 - x1 > 3) pen.strokeRect(x1 + 0.5, y + 0.5, x2 - x1 - 1, laneHeight - 5)
      pen.setLineDash([])
    }
    if (effect.isCancelled) {
      pen.fillStyle = css("--minus")
      pen.fillText("×", Math.max(x2, x0) - 3, y + 11)
    }
    hits.push({ x0, x2, y0: y, effect })
    const left = Math.max(x1, 0) + 5, room = Math.min(x2, canvas.clientWidth) - left - 6
    if (room > 36) {
      pen.save()
      pen.beginPath()
      pen.rect(left, y, room, laneHeight)
      pen.clip()
      pen.fillStyle = css(effect.isCancelled ? "--dim" : "--text")
      pen.fillText(textOf(effect), left, y + 10.5)
      pen.restore()
    }
  }

  // The effect that has caused a commit, if one has.
  function leadOf(index) {
    const told = index >= 0 ? commit(index).cause : null
    return told && effectOf(told)
  }

  function arrow(pen, x, from, to, color, width) {
    pen.strokeStyle = pen.fillStyle = color
    pen.lineWidth = width
    pen.beginPath()
    pen.moveTo(x, from)
    pen.lineTo(x, to)
    pen.stroke()
    const tip = to > from ? -4 : 4
    pen.beginPath()
    pen.moveTo(x, to)
    pen.lineTo(x - 3, to + tip)
    pen.lineTo(x + 3, to + tip)
    pen.fill()
    pen.lineWidth = 1
  }

  // The arrows from a commit to its effects, and from the effect that caused it.
  function drawArrows(pen, css, index, isPicked) {
    const line = css(isPicked ? "--accent" : "--dim"), width = isPicked ? 1.6 : 0.6
    for (const effect of effects[index] ?? []) if (isDrawn(effect)) {
      arrow(pen, xOf(effect.since), commitY + 6, laneY(effect.lane), line, width)
    }
    const effect = leadOf(index)
    const lead = late.has(index) ? css("--warn") : line
    if (effect) arrow(pen, xOf(time[index]), laneY(effect.lane), commitY + 6, lead, width)
  }

  function drawTimeline() {
    if (lanesOf != version) layOut()
    const most = Math.max(90, Math.min(innerHeight * 0.34, 420))
    const height = Math.min(laneTop + Math.max(lanes, 1) * laneHeight + 6, most)
    const scale = devicePixelRatio
    scrollY = Math.max(0, Math.min(scrollY, laneTop + lanes * laneHeight + 6 - height))
    canvas.style.height = height + "px"
    canvas.width = canvas.clientWidth * scale
    canvas.height = height * scale
    const pen = canvas.getContext("2d"), styles = getComputedStyle(document.documentElement)
    const paint = {}, css = name => paint[name] ??=
      /\((.*), (.*)\)/.exec(styles.getPropertyValue(name))[isDark() ? 2 : 1]
    pen.scale(scale, scale)
    pen.font = "11px " + styles.getPropertyValue("--code")
    hits = []
    drawRuler(pen, css, height)
    pen.save()
    pen.beginPath()
    pen.rect(0, laneTop - 2, canvas.clientWidth, height)
    pen.clip()
    const lead = leadOf(picked)
    const isPicked = effect => effect.commit == picked || effect == lead
    let before = []
    for (const effect of allEffects) {
      const x = xOf(runEnd(effect))
      if (allEffects.length > 3000 && x - before[effect.lane] < 1 && !isPicked(effect)) continue
      before[effect.lane] = x
      drawEffect(pen, css, effect, isPicked(effect))
    }
    pen.restore()
    if (picked >= 0) {
      pen.fillStyle = css("--accent")
      pen.globalAlpha = 0.35
      pen.fillRect(xOf(time[picked]) - 0.5, ruler, 1, height)
      pen.globalAlpha = 1
    }
    const { first, last } = drawCommits(pen, css)
    if (last - first < 150) for (let i = first; i < last; i++) {
      if (i != picked) drawArrows(pen, css, i, false)
    }
    if (picked < 0) return
    for (const kid of (kids.get(picked) ?? []).slice(0, 200)) drawArrows(pen, css, kid, true)
    drawArrows(pen, css, picked, true)
    pen.fillStyle = color(type[picked])
    pen.strokeStyle = css("--accent")
    pen.lineWidth = 2
    pen.beginPath()
    pen.arc(xOf(time[picked]), commitY, 6, 0, 7)
    pen.fill()
    pen.stroke()
  }

  // What is nearest to a place: a commit, or else the effect that is there.
  function hit(x, y) {
    const near = hits.filter(hit => hit.y && Math.abs(hit.y - y) < 10 && Math.abs(hit.x - x) < 7)
      .sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0]
    return near ?? hits.findLast(hit => hit.effect && x >= hit.x0 - 2 && x <= hit.x2 + 2
      && y >= hit.y0 - 1 && y < hit.y0 + laneHeight - 2)
  }

  function showTip(x, y) {
    const found = hit(x, y), tip = $("tip")
    tip.hidden = !found
    if (!found) return
    const { index, effect } = found
    tip.textContent = !effect ? `#${number[index]} ${commit(index).intent}`
      : `${textOf(effect)} of #${number[effect.commit] ?? 0}: ${course(effect)}`
    tip.style.left = Math.min(x + 12, Math.max(4, canvas.clientWidth - tip.offsetWidth - 8)) + "px"
    tip.style.top = y + 16 + "px"
  }

  let drag = null
  canvas.addEventListener("wheel", event => {
    event.preventDefault()
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pan((event.deltaX || event.deltaY) / width())
    } else zoom(1.0018 ** event.deltaY, event.offsetX)
  }, { passive: false })
  canvas.addEventListener("pointerdown", event => {
    drag = { x: event.offsetX, y: event.offsetY, isMove: false }
    canvas.setPointerCapture(event.pointerId)
  })
  canvas.addEventListener("pointermove", ({ offsetX: x, offsetY: y }) => {
    if (!drag) return showTip(x, y)
    if (!drag.isMove && Math.hypot(x - drag.x, y - drag.y) < 4) return
    pan((drag.x - x) / width())
    scrollY += drag.y - y
    drag = { x, y, isMove: true }
    drawSoon()
  })
  canvas.addEventListener("pointerup", ({ offsetX: x, offsetY: y }) => {
    const found = drag && !drag.isMove && hit(x, y)
    drag = null
    if (found) pick(found.index ?? found.effect.commit)
  })
  canvas.addEventListener("pointerleave", () => $("tip").hidden = true)

  """#
