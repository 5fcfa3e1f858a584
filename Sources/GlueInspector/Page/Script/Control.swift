/// What keys and buttons do, and how the page begins and goes on.
let controlScript = #"""
  let isAsked = false, player = 0, liveState = "connecting"

  function drawSoon() {
    if (isAsked) return
    isAsked = true
    requestAnimationFrame(() => {
      isAsked = false
      drawTimeline()
    })
  }

  function update() {
    drawList()
    drawSoon()
  }

  // Selects a commit.
  function pick(index) {
    if (index < 0 || index >= count()) return
    picked = index
    const row = rowOf(index)
    if (row >= 0) reveal(row)
    showTime(index)
    update()
    drawDetail()
    $("detail").scrollTop = 0
    $("go").value = ""
    history.replaceState(null, "", "#" + number[index])
  }

  // Selects what a link leads to, so that the browser's way back leads here again.
  function follow(index) {
    if (index < 0) return
    history.pushState(null, "", "#" + number[index])
    pick(index)
  }

  function step(by) {
    let row = picked < 0 ? -1 : rowOf(picked)
    if (row < 0 && shown && picked >= 0) row = lowerBound(shown, picked) - (by > 0 ? 1 : 0)
    const next = Math.min(Math.max(row + by, 0), rowCount() - 1)
    if (next >= 0 && indexAt(next) !== picked) pick(indexAt(next))
    return next
  }

  // Goes from commit to commit as fast as they came, but for long waits and for bursts.
  function play(isOn = !player) {
    clearTimeout(player)
    player = 0
    $("play").textContent = isOn ? "❚❚" : "▶"
    $("play").setAttribute("aria-label", isOn ? "Pause" : "Play")
    if (!isOn) return
    const row = rowOf(picked)
    if (row == rowCount() - 1) return void play(false)
    const wait = Math.min(Math.max(time[indexAt(row + 1)] - time[picked], 0.08), 1.2)
    player = setTimeout(() => {
      step(1)
      play(true)
    }, wait * 1000)
  }

  function findPath(path) {
    $("find").value = "path:" + path
    filter()
    $("list").focus()
  }

  function go(text) {
    const index = indexOf(+text.replace("#", ""))
    if (index >= 0) follow(index)
    $("go").setAttribute("aria-invalid", index < 0)
    $("go").title = index < 0 ? `There is no commit ${text} here.` : "Go to number ( g )"
    if (index >= 0) $("list").focus()
  }

  const kid = () => (kids.get(picked) ?? [-1])[0]
  const page = () => Math.max(1, Math.floor($("list").clientHeight / rowHeight) - 1)
  const actions = [
    ["j ArrowDown", "next commit", () => step(1)],
    ["k ArrowUp", "previous commit", () => step(-1)],
    ["PageDown", "a page on", () => step(page())],
    ["PageUp", "a page back", () => step(-page())],
    ["Home", "first commit", () => step(-count())],
    ["End", "last commit", () => step(count())],
    ["c ArrowLeft", "what caused it", () => follow(cause[picked] ?? -1)],
    ["e ArrowRight", "what its effects led to", () => follow(kid())],
    [" ", "play, or pause", () => play()],
    ["g", "go to a number", () => $("go").focus()],
    ["/", "filter", () => $("find").select()],
    ["Escape", "show all commits", () => clear()],
    ["z", "zoom to what it is about", () => zoomToPicked()],
    ["+ =", "zoom in", () => zoom(0.6)],
    ["-", "zoom out", () => zoom(1 / 0.6)],
    ["0", "the whole run", () => look(...span())],
    ["?", "these keys", () => $("keys").showModal()],
  ]

  function clear() {
    play(false)
    if (!$("find").value && !$("type").value) return
    $("find").value = $("type").value = ""
    filter()
    if (picked >= 0) reveal(picked)
  }

  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return
    const field = event.target.closest("input, select")
    if (field) {
      if (event.key == "Escape") {
        if (field.id == "find") clear()
        $("list").focus()
      } else if (event.key == "Enter" && field.id == "go") go(field.value)
      else if (event.key == "Enter" || event.key == "ArrowDown" && field.id == "find") {
        $("list").focus()
      } else return
      return event.preventDefault()
    }
    if (event.target.closest("button, summary") && " Enter".includes(event.key)) return
    const isReading = event.target.id == "detail"
    if (isReading && /Arrow[UD]|Page|Home|End|^ $/.test(event.key)) return
    const action = actions.find(([keys]) => keys == event.key || keys.split(" ").includes(event.key))
    if (!action) return
    event.preventDefault()
    action[2]()
  })

  let typing = 0
  $("find").addEventListener("input", () => {
    clearTimeout(typing)
    typing = setTimeout(filter, 90)
  })
  $("type").addEventListener("change", filter)
  $("go").addEventListener("change", () => $("go").value && go($("go").value))
  $("back").addEventListener("click", () => step(-1))
  $("next").addEventListener("click", () => step(1))
  $("play").addEventListener("click", () => play())
  $("help").addEventListener("click", () => $("keys").showModal())
  $("theme").addEventListener("click", () => {
    document.documentElement.className = isDark() ? "light" : "dark"
    update()
    drawDetail()
  })
  $("list").addEventListener("scroll", drawList)
  addEventListener("resize", update)
  addEventListener("popstate", () => pick(indexOf(+location.hash.slice(1))))
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    update()
    drawDetail()
  })

  const names = { " ": "space", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" }
  $("keyTable").append(...actions.map(([keys, title]) => el("tr", {}, el("td", {},
    ...(keys == " " ? [keys] : keys.split(" ")).flatMap(key => [el("kbd", {}, names[key] ?? key), " "])),
    el("td", {}, title))))

  // Reads all that is there, a few milliseconds at a time, and shows how far it has come.
  function readAll(drawn = 0) {
    const isDone = readSome()
    if (picked < 0) pick(Math.max(0, indexOf(+location.hash.slice(1))))
    if (isDone || count() > 2 * drawn) {
      if (shown) goOnFiltering(searching)
      update()
      drawTypes()
      drawn = count()
    } else drawNote()
    if (!isDone) return void setTimeout(() => readAll(drawn))
    const wanted = indexOf(+location.hash.slice(1))
    if (wanted >= 0 && wanted != picked) pick(wanted)
    else drawDetail()
  }

  // Listens to a server that sends what an inspector tells, from its beginning whenever it begins.
  function listen() {
    const source = new EventSource(meta.live)
    let isReading = false
    const readNews = () => {
      isReading = false
      const wasLast = picked == count() - 1
      if (lines.length > 4 * meta.limit + 1000) forget()
      readAll()
      if (wasLast) pick(count() - 1)
    }
    source.onopen = () => {
      lines = []
      picked = -1
      reset()
      liveState = "live"
      update()
    }
    source.onerror = () => {
      liveState = "no connection"
      drawNote()
    }
    source.onmessage = ({ data }) => {
      lines.push(data)
      if (!isReading) setTimeout(readNews, 50)
      isReading = true
    }
  }

  // Lets the oldest go, as the inspector does.
  function forget() {
    const kept = at[Math.max(0, count() - meta.limit)], old = number[picked]
    meta.gone = (meta.gone ?? 0) + Math.max(0, count() - meta.limit)
    lines = lines.slice(kept)
    reset()
    picked = -1
    while (!readSome());
    picked = indexOf(old)
  }

  $("name").textContent = meta.state
  document.title = `${meta.state} – Glue`
  readAll()
  if (meta.live) listen()
  $("list").focus()
  """#
