/// The list, whose rows are made as they are seen, and what it is filtered by.
let listScript = #"""
  const rowHeight = 24
  let shown = null, picked = -1, searching = 0

  const rowCount = () => shown ? shown.length : count()
  const indexAt = row => shown ? shown[row] : row
  function rowOf(index) {
    if (!shown) return index
    const row = lowerBound(shown, index)
    return shown[row] == index ? row : -1
  }

  const hues = [212, 28, 152, 275, 340, 190, 52, 100, 235, 310]
  const isDark = () => document.documentElement.className
    ? document.documentElement.className == "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches
  function color(entry, alpha = 1) {
    const hue = hues[entry.id % hues.length]
    return `hsl(${hue} ${isDark() ? "62% 66%" : "58% 44%"} / ${alpha})`
  }
  function summary(told) {
    const [first] = told.changes ?? []
    if (!first) return told.unlistedChanges || told.uncompared ? "changed" : ""
    const more = told.changes.length - 1 + (told.unlistedChanges ?? 0)
    return [first[0] ? first[0] + ": " : "", words(first)].join("") + (more ? `  +${more}` : "")
  }

  function words([, sign, a, b]) {
    if (sign == "+") return `added ${a}` + (b === undefined ? "" : ` at ${b}`)
    if (sign == "-") return `removed ${a}`
    if (sign == "m") return `moved from ${a} to ${b}`
    if (sign == "r") return `${counted(a, "element")} replaced by ${b.toLocaleString("en")}`
    return a == b ? `${a} (no visible difference)` : `${a} → ${b}`
  }

  const lateMark = index => late.has(index) ? el("span", {
    class: "late", title: "From an effect that a later one of its type had overtaken" },
    "overtaken") : null

  function row(index, position) {
    const told = commit(index)
    const mark = el("i", {}, told.cause ? "•" : "●")
    mark.style.color = color(type[index])
    const own = el("div", { class: "row", role: "option", id: "c" + told.number,
      "aria-selected": index == picked, "aria-setsize": rowCount(), "aria-posinset": position + 1 },
      el("span", {}, "#" + told.number), el("span", {}, since(index)),
      el("span", {}, told.cause ? told.cause.of ? `↳ #${told.cause.of}` : "↳ start" : ""),
      el("span", {}, mark, lateMark(index), told.intent), el("span", {}, summary(told)))
    if (index != picked && picked >= 0 && (cause[picked] == index || cause[index] == picked)) {
      own.classList.add("kin")
    }
    own.style.top = position * rowHeight + "px"
    own.addEventListener("click", () => pick(index))
    return own
  }

  function drawList() {
    const list = $("list")
    $("rows").style.setProperty("--digits", `${String(number.at(-1) ?? 0).length + 1}ch`)
    $("rows").style.height = Math.max(rowCount() * rowHeight, 1) + "px"
    const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 4)
    const last = Math.min(rowCount(), first + Math.ceil(list.clientHeight / rowHeight) + 9)
    const rows = []
    for (let position = first; position < last; position++) {
      rows.push(row(indexAt(position), position))
    }
    $("rows").replaceChildren(...rows)
    if (picked >= 0) list.setAttribute("aria-activedescendant", "c" + number[picked])
    drawNote()
  }

  function drawNote() {
    const parts = [shown ? `${shown.length.toLocaleString("en")} of ${counted(count(), "commit")}`
      : counted(count(), "commit")]
    if (done < lines.length) parts.push(`reading, ${Math.floor(100 * done / lines.length)} %`)
    if (searching && shownUpTo < count()) parts.push("searching …")
    if (meta.gone) parts.push(`${meta.gone.toLocaleString("en")} earlier ones have gone`)
    if (missed) parts.push(`${counted(missed, "line")} missed`)
    if (faults) parts.push(`${counted(faults, "line")} cannot be read`)
    if (meta.live) parts.push(liveState)
    const note = parts.join(" · ")
    if ($("note").textContent != note) $("note").textContent = note
  }

  function reveal(row) {
    const list = $("list"), top = row * rowHeight, height = list.clientHeight
    if (top < list.scrollTop) list.scrollTop = top - Math.min(height / 3, 3 * rowHeight)
    if (top + rowHeight > list.scrollTop + height) {
      list.scrollTop = top + rowHeight - height + Math.min(height / 3, 3 * rowHeight)
    }
  }

  // Whether one path leads to the other, or through it.
  const touches = (path, wanted) => path == "" || path == wanted || leads(path, wanted)
    || leads(wanted, path)
  const leads = (path, to) => to.startsWith(path) && ".[".includes(to[path.length])

  // What a commit has to be to be shown; null if all are.
  function condition() {
    const text = $("find").value.trim().toLowerCase(), wantedType = $("type").value
    if (!text && !wantedType) return null
    const path = text.startsWith("path:") ? text.slice(5).trim() : null
    const raw = text && JSON.stringify(path ?? text).slice(1, -1).replaceAll("<", "\\u003c")
    const has = value => typeof value == "string" && value.toLowerCase().includes(text)
    return index => {
      if (wantedType && type[index].name != wantedType) return false
      if (!text) return true
      if (path === null && !lines[at[index]].toLowerCase().includes(raw)) return false
      const told = commit(index)
      if (path !== null) {
        return (told.changes ?? []).some(([own]) => touches(own.toLowerCase(), path))
      }
      return has(told.intent) || (told.effects ?? []).some(has)
        || (told.changes ?? []).some(change => change.some(has))
    }
  }

  let shownUpTo = 0, isWanted = null

  // Filters anew, for a few milliseconds at a time.
  function filter() {
    isWanted = condition()
    shown = isWanted && []
    shownUpTo = 0
    searching += 1
    $("list").scrollTop = 0
    goOnFiltering(searching)
  }

  function goOnFiltering(turn) {
    if (turn != searching) return
    if (!isWanted) return void update()
    const stop = performance.now() + 12
    while (shownUpTo < count() && performance.now() < stop) {
      if (isWanted(shownUpTo)) shown.push(shownUpTo)
      shownUpTo += 1
    }
    update()
    if (shownUpTo < count()) setTimeout(() => goOnFiltering(turn))
    else if (picked >= 0 && rowOf(picked) >= 0) reveal(rowOf(picked))
  }

  function drawTypes() {
    const chosen = $("type").value
    const sorted = [...types.values()].sort((a, b) => a.name < b.name ? -1 : 1)
    $("type").replaceChildren(el("option", { value: "" }, "All intents"),
      ...sorted.map(({ name, count }) => el("option", { value: name },
        `${name} (${count.toLocaleString("en")})`)))
    $("type").value = chosen
  }

  """#
