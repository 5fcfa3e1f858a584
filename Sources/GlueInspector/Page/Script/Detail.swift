/// What is known of the commit that is selected.
let detailScript = #"""
  const link = (index, ...text) => el("a", { href: "#" + number[index],
    click: event => { event.preventDefault(); follow(index) } }, ...text)

  const section = (title, ...parts) => el("section", {}, el("h3", {}, title), ...parts)

  // How long an effect waited and took, in words.
  function course(effect) {
    const { since, start, end: over, last, isCancelled, lasting, isUnhandled } = effect
    const parts = lasting === undefined ? [] : ["lasting"]
    if (isUnhandled) return "nobody handles it"
    if (start - since >= 0.0005) parts.push(`waited ${duration(start - since)}`)
    if (isCancelled) parts.push(start ? `ran ${duration(over - start)}` : "never started",
      `cancelled, ${duration(over - since)} after its commit`)
    else if (over) parts.push(`ran ${duration(over - start)}`)
    else if (start) parts.push("has not ended")
    else parts.push(last ? `last dispatched ${duration(last - since)} after its commit`
      : "nothing is known of its start")
    return parts.join(", ")
  }

  function causeSection(index, told) {
    if (!told.cause) return section("Cause", el("p", {}, "A call from outside."))
    const from = cause[index], own = effectOf(told.cause)
    const name = told.cause.lasting ?? `effect ${told.cause.effect}`
    if (from < 0) return section("Cause", el("p", {}, own
      ? `By ${name}, which lasts since the beginning (${course(own)}).`
      : `By ${name} of #${told.cause.of}, which is not kept.`))
    const chain = []
    for (let i = from; i >= 0 && chain.length < 12; i = cause[i]) chain.unshift(i)
    const steps = chain.flatMap(i => [link(i, `#${number[i]} `, commit(i).intent.slice(0, 40)),
      el("span", {}, "›")])
    if (cause[chain[0]] >= 0) steps.unshift(el("span", {}, "… ›"))
    return section("Cause", el("div", { class: "from" }, ...steps, el("span", {}, "#" + told.number)),
      el("p", { class: "code" }, "By ", own ? textOf(own) : name,
        own ? ` (${course(own)})` : ""), lateness(index, own))
  }

  function lateness(index, own) {
    if (!late.has(index)) return null
    const newest = [...kids.keys()].filter(from => from > cause[index]
      && effects[from]?.some(effect => effect.type == own.type)
      && kids.get(from)[0] < index).pop()
    return el("p", { class: "warn" }, `Overtaken: a later ${own.type.name}, of `,
      newest === undefined ? "another commit" : link(newest, "#" + number[newest]),
      ", had dispatched before this came.")
  }

  function effectsSection(index, told) {
    const more = told.unlistedEffects
    const items = (effects[index] ?? []).map(effect => {
      const came = (kids.get(index) ?? []).filter(kid => effectOf(commit(kid).cause) == effect)
      const links = came.slice(0, 30).flatMap(kid => [" ", link(kid, "#" + number[kid])])
      if (came.length > 30) links.push(` and ${came.length - 30} more`)
      const name = el("span", {}, textOf(effect),
        effect.lasting === undefined ? "" : `.lasting(id: ${effect.lasting})`)
      name.style.color = color(effect.type)
      return el("li", {}, name, el("div", { class: "dim" }, course(effect)),
        came.length ? el("div", {}, el("span", { class: "dim" }, "led to"), ...links) : null)
    })
    for (const id of told.ceased ?? []) {
      items.push(el("li", {}, id, el("div", { class: "dim" }, "does not last any more")))
    }
    if (more) items.push(el("li", { class: "dim" }, `and ${counted(more, "effect")} more`))
    return items.length ? section("Effects", el("ul", {}, ...items)) : null
  }

  const pathLink = path => el("a", { title: "What changed this part?", href: "#",
    click: event => { event.preventDefault(); findPath(path) } }, path || "(the state)")

  function changed([, sign, a, b]) {
    if (sign == "+") return ["added ", el("span", { class: "new" }, a),
      b === undefined ? "" : ` at ${b}`]
    if (sign == "-") return ["removed ", el("span", { class: "old" }, a)]
    if (sign == "=" && a != b) return [el("span", { class: "old" }, a), " → ",
      el("span", { class: "new" }, b)]
    return [words([, sign, a, b])]
  }

  function changesSection(told) {
    const items = (told.changes ?? []).map(change =>
      el("li", { class: "change" }, pathLink(change[0]), el("span", {}, ...changed(change))))
    if (told.unlistedChanges) {
      items.push(el("li", { class: "dim" }, `and ${counted(told.unlistedChanges, "change")} more`))
    }
    if (told.uncompared) items.push(
      el("li", { class: "dim" }, `${counted(told.uncompared, "part")} not compared`))
    return section("Changes", items.length ? el("ul", {}, ...items)
      : el("p", {}, "None: the state is as it was."))
  }

  const opened = new Set([""]), closed = new Set()

  const hasMark = node => node.mark || (node.parts ?? []).some(hasMark)

  function label(own, name, path) {
    const size = own.parts ? own.parts.length + own.more : 0
    const text = own.kind == "a" || own.kind == "s" ? counted(size, "element")
      : own.kind == "d" ? counted(size, "entry").replace("entrys", "entries") : own.text
    const parts = [name ? el("a", { title: "What changed this part?", click: event => {
      event.preventDefault()
      findPath(path)
    } }, name) : null, name ? ": " : null,
      el("span", { class: own.parts ? "dim" : "" }, text)]
    if (own.isStale) parts.push(el("span", { class: "late",
      title: "Later changes in here cannot be shown" }, "in part as before"))
    return parts
  }

  function tree(own, name, path) {
    if (!own.parts) {
      return el("div", { class: own.mark ? "leaf mark" : "leaf" }, ...label(own, name, path))
    }
    const isOpen = opened.has(path) || !closed.has(path) && hasMark(own) || path == ""
    const inside = el("div", {})
    const fill = () => {
      const parts = own.parts.map((part, i) => {
        const next = own.kind == "s" ? "" : stepTo(own, i)
        return tree(part, next.replace(/^\./, "") || "·", (path + next).replace(/^\./, ""))
      })
      if (own.more > 0) parts.push(el("div", { class: "leaf dim" }, `… ${own.more.toLocaleString(
        "en")} more, not shown`))
      inside.replaceChildren(...parts)
    }
    if (isOpen) fill()
    const summary = el("summary", { class: own.mark ? "mark" : "" }, ...label(own, name, path))
    const details = el("details", {}, summary, inside)
    summary.addEventListener("click", event => {
      if (event.defaultPrevented) return
      ;(details.open ? opened : closed).delete(path)
      ;(details.open ? closed : opened).add(path)
      if (!inside.firstChild) fill()
    })
    details.open = isOpen
    return details
  }

  function stateSection(index) {
    const root = stateOf(index)
    if (root) return section("State", el("div", { class: "tree" }, tree(root, "", "")))
    return section("State", el("p", {}, "Not known: it was built on commits that have gone.",
      states.length ? " The first that is known is of " : "",
      states.length ? link(states[0], "#" + number[states[0]]) : "", "."))
  }

  function drawDetail() {
    const detail = $("detail")
    if (picked < 0) {
      detail.replaceChildren(el("p", {}, done < lines.length || meta.live ? "Nothing yet."
        : "No commit was told."))
      return
    }
    const told = commit(picked), clock = new Date(time[picked] * 1000)
    detail.replaceChildren(
      el("h2", {}, el("span", {}, `#${told.number} `), el("b", {}, head(told.intent)),
        told.intent.slice(head(told.intent).length)),
      el("p", {}, [told.type, since(picked), isNaN(clock) ? null
        : clock.toISOString().replace("T", " ").replace("Z", " UTC")].filter(Boolean).join(" · ")),
      ...[causeSection(picked, told), effectsSection(picked, told), changesSection(told),
        stateSection(picked)].filter(Boolean))
  }

  """#
