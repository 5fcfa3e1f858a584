/// The state of any commit: the last whole state before it, with what has changed since.
let stateScript = #"""
  function node([step, text, kind, parts, more], position) {
    const own = { step, text, kind, more: more ?? 0, parts: null, mark: false, isStale: false }
    if (kind == "a" || kind == "s") own.parts = parts.map((part, i) => node(part, i))
    else if (kind) own.parts = parts.map(part => node(part))
    if (position !== undefined && step == `[${position}]`) own.step = null
    return own
  }

  // How a path goes on to a part: elements without an id have their position.
  const stepTo = (whole, index) => whole.parts[index].step ?? `[${index}]`

  // Where a path leads: to a node, or as far as there is one.
  function find(whole, path, parent) {
    if (path == "") return { node: whole, parent, rest: "" }
    let best = { node: null, parent: whole, rest: path }
    for (let index = 0; index < (whole.parts?.length ?? 0); index++) {
      const own = stepTo(whole, index), position = `[${index}]`
      const start = whole.kind == "a" && path.startsWith(position) ? position : own
      const rest = path.slice(start.length)
      if (start && path.startsWith(start) && (rest == "" || rest[0] == "." || rest[0] == "[")) {
        const found = find(whole.parts[index], rest, whole)
        if (found.node) return found
        if (found.rest.length < best.rest.length) best = found
      }
    }
    return best
  }

  const rooted = path => path == "" || path[0] == "[" ? path : "." + path

  // Makes changes as a difference tells them: what is outside first; in one collection, what goes,
  // then what comes in the order of its positions, then the others.
  function apply(root, changes) {
    const depth = path => path.replace(/"(?:[^"\\]|\\.)*"/g, "").split("[").length
    for (const level of new Set(changes.map(([path]) => depth(path)).sort((a, b) => a - b))) {
      const here = changes.filter(([path]) => depth(path) == level)
        .map(([path, sign, a, b]) => ({ path: rooted(path), sign, a, b }))
      for (const change of here) Object.assign(change, find(root, change.path))
      for (const change of here) if (change.sign == "-" || change.sign == "m") detach(change)
      const coming = here.filter(({ sign }) => sign == "+" || sign == "m")
      for (const change of coming.sort((a, b) => place(a) - place(b))) insert(root, change)
      for (const change of here) if (change.sign == "=" || change.sign == "r") replace(root, change)
    }
  }

  function place({ sign, path, a, b }) {
    return sign == "m" ? b : b ?? +(/\[(\d+)\]$/.exec(path)?.[1] ?? 0)
  }

  // Whether a path is that of an array's element, by its position.
  const isElement = ({ parent, path }) => parent?.kind == "a" && /\[\d+\]$/.test(path)

  function detach(change) {
    let { node, parent, a } = change
    if (node?.parts && !isElement(change)) {
      const member = node.parts.find(part => part.text == a && !part.parts)
      if (member && (node.kind == "s" || node.kind == "a")) [parent, node] = [node, member]
    }
    const index = parent?.parts?.indexOf(node) ?? -1
    if (index >= 0) parent.parts.splice(index, 1)
    else if (parent?.more) parent.more -= 1
    else if (parent) parent.isStale = true
    if (index >= 0) change.moved = node
  }

  function insert(root, change) {
    const { path, sign, a } = change, known = find(root, path), { node, parent } = known
    if (node?.parts && sign == "+" && !isElement({ parent, path })) {
      node.kind = "s"
      node.parts.push({ ...parsed(a, ""), mark: true })
      return
    }
    const isArray = parent.kind == "a", position = place(change)
    const last = isArray && node ? null : known.rest
    if (!parent.parts || last !== null && !/^(\.[^.[\]]+|\[("(?:[^"\\]|\\.)*"|[^\]]*)\])$/.test(last)) {
      parent.isStale = true
      return
    }
    const fresh = sign == "m" ? change.moved : parsed(a, last)
    if (!fresh || isArray && position > parent.parts.length) {
      parent.more += 1
      return
    }
    if (isArray && sign == "+") fresh.step = identity(fresh)
    fresh.mark = true
    parent.parts.splice(isArray ? position : parent.parts.length, 0, fresh)
  }

  // How an element is addressed by the id that it shows, if it does.
  function identity({ step, parts }) {
    if (step?.startsWith("[id: ")) return step
    const id = parts?.find(part => part.step == ".id")
    return id && !id.parts ? `[id: ${id.text}]` : null
  }

  function replace(root, change) {
    const { node, parent } = find(root, change.path)
    if (!node) {
      if (!parent.more) parent.isStale = true
    } else if (change.sign == "r") {
      Object.assign(node, { parts: [], more: change.b, mark: true })
    } else {
      Object.assign(node, parsed(change.b, node.step), { mark: true })
      if (node.step == ".id" && parent.step?.startsWith("[id: ")) parent.step = `[id: ${node.text}]`
    }
  }

  // A tree from the text that describes a value, as far as it is written as in Swift.
  function parsed(text, step) {
    let i = 0
    const leaf = from => ({ text: text.slice(from, i), kind: undefined, parts: null, more: 0 })
    const take = pattern => {
      pattern.lastIndex = i
      const found = pattern.exec(text)?.[0] ?? ""
      i += found.length
      return found
    }
    const need = mark => { if (text[i++] !== mark) throw mark }
    function list(end, label) {
      const parts = []
      while (text[i] !== end) {
        if (parts.length) { need(","); need(" ") }
        parts.push(label(parts.length))
      }
      i += 1
      return parts
    }
    function value() {
      const from = i
      if (text[i] == '"') return take(/"(?:[^"\\]|\\.)*"/y) ? leaf(from) : need('"')
      if (text[i] == "[") return collection(from)
      const name = take(/[^\s()[\]",:…]*/y)
      if (text[i] != "(") return name ? leaf(from) : need("name")
      i += 1
      const parts = list(")", n => {
        const label = take(/[^\s()[\]",:.…][^\s()[\]",:…]*(?=: )/y)
        if (label) i += 2
        return { ...made(value(), label ? "." + label : "." + n) }
      })
      if (!parts.length) return leaf(from)
      if (name[0] != ".") return { text: name, kind: "p", parts, more: 0 }
      const payload = parts.length == 1 && parts[0].step == ".0"
        ? { ...parts[0], step: name } : made({ text: "", kind: "p", parts, more: 0 }, name)
      return { text: name, kind: "e", parts: [payload], more: 0 }
    }
    function collection(from) {
      i += 1
      if (take(/:\]/y)) return { text: "", kind: "d", parts: [], more: 0 }
      let isDictionary = false
      const parts = list("]", n => {
        const start = i, first = value(), key = text.slice(start, i)
        if (text[i] != ":") return made(first, null)
        isDictionary = true
        i += 2
        return made(value(), `[${key}]`)
      })
      return { text: "", kind: isDictionary ? "d" : "a", parts, more: 0 }
    }
    const made = (own, step) => ({ mark: false, isStale: false, ...own, step })
    try {
      const own = value()
      if (i == text.length) return made(own, step)
    } catch {}
    return made({ text, kind: undefined, parts: null, more: 0 }, step)
  }

  let shownState = { index: -1, version: -1, root: null }

  // The state of a commit as a tree, in which what it changed is marked; null if it is not known.
  function stateOf(index) {
    let base = lowerBound(states, index + 1) - 1
    if (base < 0) return null
    base = states[base]
    if (shownState.root && shownState.index >= base && shownState.index <= index
      && number[shownState.index] == shownState.number) base = shownState.index
    else shownState.root = node(commit(base).state)
    unmark(shownState.root)
    for (let i = base + 1; i <= index; i++) {
      if (i == index) unmark(shownState.root)
      const told = commit(i)
      if (told.state) shownState.root = node(told.state)
      else apply(shownState.root, told.changes ?? [])
      if (told.unlistedChanges || told.uncompared || number[i] != number[i - 1] + 1) {
        if (!told.state) shownState.root.isStale = true
      }
    }
    const told = commit(index)
    if (told.state) for (const change of told.changes ?? []) mark(shownState.root, rooted(change[0]))
    shownState.index = index
    shownState.number = number[index]
    return shownState.root
  }

  function unmark(node) {
    node.mark = false
    node.parts?.forEach(unmark)
  }

  function mark(root, path) {
    const { node, parent } = find(root, path)
    if (node ?? parent) (node ?? parent).mark = true
  }

  """#
