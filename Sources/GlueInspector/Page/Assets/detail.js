// Shows the selected commit.
const link = (commit, ...text) => el("a", { href: "#" + commit.number,
  click: event => { event.preventDefault(); follow(commit) } }, ...text)

const section = (title, ...parts) => el("section", {}, el("h3", {}, ...[title].flat()), ...parts)
const dim = (...text) => el("div", { class: "dim" }, ...text)

// The times that an effect waited and took, in words.
function course({ since, start, end, last, isCancelled, lasting, isUnhandled }) {
  if (isUnhandled) return "nobody handles it"
  const parts = lasting === undefined ? [] : ["lasting"]
  if (start - since >= 0.0005) parts.push(`waited ${duration(start - since)}`)
  if (end && start) parts.push(`ran ${duration(end - start)}`)
  if (isCancelled) parts.push(start ? "canceled" : `canceled after ${duration(end - since)}`)
  else if (start && !end) parts.push("has not ended")
  else if (!start && !last) parts.push("nothing is known of its start")
  if (last > (end || since)) parts.push(`last intent after ${duration(last - since)}`)
  return parts.join(", ")
}

function lateness({ by, late: { word, newer } }) {
  const which = link(newer, "#" + newer.number)
  return word == "stale" ? ["Stale: ", which, " had emitted a later effect of its lane before this came."]
    : [`Overtaken: a later ${by.type.name}, of `, which, ", had dispatched before this came."]
}

function causeSection(commit, told) {
  if (!told.cause) return section("Cause", dim("A call from outside."))
  const { cause, by, late } = commit, { lasting, effect, of } = told.cause
  const parts = [by ? textOf(by) : lasting ?? `effect ${effect}`]
  if (cause) parts.push(" of ", link(cause, `#${of} ${tell(cause).intent.slice(0, 60)}`))
  else parts.push(of ? ` of #${of}, which is not kept` : ", which lasts since the beginning")
  return section("Cause", el("div", { class: "code" }, ...parts), by && dim(course(by)),
    late && el("p", { class: "warn" }, ...lateness(commit)))
}

function effectsSection(commit, told) {
  const items = commit.effects.map(effect => {
    const came = commit.kids.filter(({ by }) => by == effect)
    const links = came.slice(0, 30).flatMap(kid => [" ", link(kid, "#" + kid.number)])
    const more = came.length > 30 ? ` and ${came.length - 30} more` : ""
    const id = effect.lasting === undefined ? "" : `.lasting(id: ${effect.lasting})`
    return el("li", {},
      el("span", { class: "hued", style: { "--hue": effect.type.hue } }, textOf(effect) + id),
      dim(course(effect)), came.length ? dim("led to", ...links, more) : null)
  })
  for (const id of told.ceased ?? none) items.push(el("li", {}, id, dim("does not last any more")))
  if (told.unlistedEffects) items.push(dim(`and ${counted(told.unlistedEffects, "effect")} more`))
  return items.length ? section("Effects", el("ul", {}, ...items)) : null
}

const pathLink = (path, name = path || "(the state)") => el("a", {
  title: "What changed this part?", href: "#", click: event => {
    event.preventDefault()
    findPath(path)
  } }, name)

const was = text => el("span", { class: "old" }, text)
const is = text => el("span", { class: "new" }, text)

function changed([, sign, a, b]) {
  if (sign == "+") return ["added ", is(a), b === undefined ? "" : ` at ${b}`]
  if (sign == "-") return ["removed ", was(a)]
  if (sign == "=" && a != b) return [was(a), " → ", is(b)]
  return [words([, sign, a, b])]
}

const changeItem = change =>
  el("li", { class: "change" }, pathLink(change[0]), el("span", {}, ...changed(change)))

function changesSection({ changes = none, unlistedChanges, uncompared }) {
  const items = changes.map(changeItem)
  if (unlistedChanges) items.push(dim(`and ${counted(unlistedChanges, "change")} more`))
  if (uncompared) items.push(dim(`${counted(uncompared, "part")} not compared`))
  return section("Changes", items.length ? el("ul", {}, ...items)
    : dim("None: the state is as it was."))
}

const isOpen = new Map([["", true]])

// A value in Swift; null if it is longer than the room.
function inline(own, room = 56) {
  const { text, kind, parts, more, isStale } = own
  if (!parts) return text.length <= room ? text : null
  if (more > 0 || isStale || parts.length * 3 > room) return null
  const all = []
  for (const part of parts) {
    const value = inline(part, room), name = part.step.replace(/^\./, "")
    if (value === null) return null
    all.push(kind == "d" ? `${name.slice(1, -1)}: ${value}`
      : kind == "p" && /^[a-z_]/i.test(name) ? `${name}: ${value}` : value)
    room -= all.at(-1).length + 2
    if (room < 0) return null
  }
  const list = all.join(", ")
  if (kind == "e") return text + (parts[0]?.kind == "p" && !parts[0].text ? list : `(${list})`)
  return kind == "p" ? `${text}(${list})` : kind == "d" ? `[${list || ":"}]` : `[${list}]`
}

// A part's text, with its name as a link to the commits that changed it.
function label(own, name, path) {
  const size = own.parts && own.parts.length + own.more, whole = path && inline(own)
  const text = whole ? whole : "as".includes(own.kind ?? "-") ? counted(size, "element")
    : own.kind == "d" ? counted(size, "key") : own.text
  return [...name ? [pathLink(path, name), ": "] : [],
    own.parts && !whole ? el("span", { class: "dim" }, text) : text,
    own.isStale ? el("span", { class: "tag", title: "Later changes in here cannot be shown" },
      "in part as before") : null]
}

function tree(own, name, path, marked) {
  const mark = marked.has(own) ? " mark" : ""
  if (!own.parts?.length && !own.more) return el("div", { class: "leaf" + mark }, ...label(own, name, path))
  const hasMark = ({ parts }) => parts?.some(part => marked.has(part) || hasMark(part))
  const inside = el("div", {})
  const fill = () => inside.replaceChildren(...own.parts.map((part, index) => {
    if (own.kind == "s") return tree(part, "", "", marked)
    const step = stepTo(own, index)
    return tree(part, step.replace(/^\./, ""), (path + step).replace(/^\./, ""), marked)
  }), own.more > 0 ? dim(`… ${grouped(own.more)} more, not shown`) : "")
  const details = el("details", { toggle: () => {
    if (details.open == !!inside.firstChild) return
    isOpen.set(path, details.open)
    if (details.open) fill()
    else inside.replaceChildren()
  } }, el("summary", { class: mark }, ...label(own, name, path)), inside)
  details.open = isOpen.get(path) ?? hasMark(own) ?? false
  if (details.open) fill()
  return details
}

function stateSection(commit, { changes = none }) {
  const root = stateOf(commit)
  if (!root) return section("State", dim("Not known: it was built on commits that have gone."))
  const places = changes.map(([path]) => find(root, rooted(path)))
  const marked = new Set(places.map(({ node, parent }) => node ?? parent))
  return section("State", el("div", { class: "tree" }, tree(root, "", "", marked)))
}

// A place is a link only if it is an absolute path.
function placeLink(place) {
  const path = /^(\/[^\/\0][^\0]*?)(, byte \d+.*)?$/.exec(place)?.[1]
  return path ? el("a", { href: "file://" + path.split("/").map(encodeURIComponent).join("/"),
    rel: "noreferrer" }, place) : place
}

function drawDetail() {
  const told = picked && tell(picked)
  if (!told) return void $("detail").replaceChildren(dim("No commit yet."))
  const clock = new Date(picked.time * 1000), name = head(told.intent)
  const isBase = compared?.number == picked.number
  $("detail").replaceChildren(
    el("h2", {}, el("span", { class: "dim" }, `#${told.number} `), el("b", {}, name),
      told.intent.slice(name.length)),
    dim([told.type, since(picked), clock.toISOString().replace("T", " ").replace("Z", " UTC")]
      .filter(Boolean).join(" · ")),
    told.place ? dim("recorded in ", placeLink(told.place)) : "",
    el("p", { class: "acts" }, el("button", { "aria-pressed": isBase, title: "Compare ( m )",
      click: () => compareFrom(isBase ? null : picked) }, "Compare from here"),
      el("button", { title: "Copy as test ( t )", click: showTest }, "Copy as test")),
    ...[causeSection(picked, told), compareSection(picked), effectsSection(picked, told),
      changesSection(told), stateSection(picked, told)].filter(Boolean))
}
