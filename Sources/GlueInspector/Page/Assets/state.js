// Computes the state of any commit: the last whole state before it, with the changes since.
// `node` makes a part of a state from one of the inspector's trees.
const node = ([step, text, kind, parts, more]) =>
  ({ step, text, kind, more: more ?? 0, isStale: false, parts: kind ? parts.map(node) : null })

// The step of a path from the whole to a part.
const stepTo = (whole, index) => whole.parts[index].step || `[${index}]`

// Finds the node of a path, or the last one on the way.
function find(whole, path, parent) {
  if (path == "") return { node: whole, parent, rest: "" }
  let best = { node: null, parent: whole, rest: path }
  for (let index = 0; index < (whole.parts?.length ?? 0); index++) {
    const own = stepTo(whole, index), position = `[${index}]`
    const start = whole.kind == "a" && path.startsWith(position) ? position : own
    const rest = path.slice(start.length)
    if (path.startsWith(start) && (rest == "" || ".[".includes(rest[0]))) {
      const found = find(whole.parts[index], rest, whole)
      if (found.node) return found
      if (found.rest.length < best.rest.length) best = found
    }
  }
  return best
}

const rooted = path => path == "" || path[0] == "[" ? path : "." + path

// Applies a commit's changes, outer ones first. In one collection it removes, then inserts in the
// order of positions, then replaces.
function apply(root, { changes = none, values = none }) {
  const trees = new Map(values)
  const all = changes.map(([path, sign, a, b], index) =>
    ({ path: rooted(path), sign, a, b, tree: trees.get(index), depth: depth(path) }))
  for (const level of new Set(all.map(({ depth }) => depth).sort((a, b) => a - b))) {
    const here = all.filter(({ depth }) => depth == level)
    const are = signs => here.filter(({ sign }) => signs.includes(sign))
    for (const change of here) Object.assign(change, find(root, change.path))
    for (const change of are("-m")) detach(change)
    for (const change of are("+m").sort((a, b) => target(a) - target(b))) insert(root, change)
    for (const change of are("=r")) replace(root, change)
  }
}

const depth = path => path.replace(/"(?:[^"\\]|\\.)*"/g, "").split("[").length
const target = ({ sign, path, b }) =>
  sign == "m" ? b : b ?? +(/\[(\d+)\]$/.exec(path)?.[1] ?? 0)

// Whether a change is of a member of a set. Such a change has the path of the set.
const isOfMember = ({ node, parent, path }) =>
  node?.kind == "s" && !(parent?.kind == "a" && /\[\d+\]$/.test(path))

const made = (tree, text) => node(tree ?? ["", text])

function detach(change) {
  let { node, parent, a } = change
  if (isOfMember(change)) {
    const member = node.parts.find(({ text }) => text == a)
    if (member || parent?.kind != "d") [parent, node] = [node, member]
  }
  const index = parent?.parts?.indexOf(node) ?? -1
  if (index >= 0) [change.moved] = parent.parts.splice(index, 1)
  else if (parent?.more) parent.more -= 1
  else if (parent) parent.isStale = true
}

function insert(root, { path, sign, a, tree, b, moved }) {
  const { node, parent, rest } = find(root, path), isArray = parent?.kind == "a"
  if (sign == "+" && isOfMember({ node, parent, path })) {
    node.parts.push(made(undefined, a))
    return
  }
  const isKnown = isArray && node || /^(\.[^.[\]]+|\[("(?:[^"\\]|\\.)*"|[^\]]*)\])$/.test(rest)
  const position = isArray ? target({ sign, path, b }) : parent?.parts?.length
  const part = sign == "m" ? moved : made(tree, a)
  if (!parent?.parts || !isKnown) (parent ?? root).isStale = true
  else if (!part || position > parent.parts.length) parent.more += 1
  else {
    if (!isArray) part.step = rest
    parent.parts.splice(position, 0, part)
  }
}

function replace(root, { path, sign, a, b, tree }) {
  const { node, parent } = find(root, path)
  if (!node) {
    if (!parent.more) parent.isStale = true
  } else if (sign == "r") {
    Object.assign(node, { parts: [], more: node.parts ? node.parts.length + node.more - a + b : b })
  } else {
    const fresh = made(tree, b)
    Object.assign(node, fresh, { step: parent?.kind == "a" ? fresh.step : node.step })
    if (node.step == ".id" && parent.step?.startsWith("[id: ")) parent.step = `[id: ${node.text}]`
  }
}

// The whole state of a commit's line, or the state from the removed commits before it.
function rootOf(commit) {
  const told = tell(commit)
  if (told.state) return node(told.state)
  const [first, ...others] = JSON.parse(lines[commit.base]).base, root = node(first.state)
  for (const each of [...others, told]) update(root, each)
  return root
}

function update(root, told) {
  apply(root, told)
  if (told.unlistedChanges || told.uncompared) root.isStale = true
}

// The state after a commit, as a tree; null if it is unknown.
function stateOf(commit) {
  const last = placeOf(commit.number)
  let first = last
  while (commits[first] && !commits[first].hasState && commits[first] != built?.commit) first -= 1
  const base = commits[first]
  if (!base) return null
  const root = base == built?.commit ? built.root : rootOf(base)
  for (let index = first + 1; index <= last; index++) {
    update(root, tell(commits[index]))
    if (commits[index].number != commits[index - 1].number + 1) root.isStale = true
  }
  built = { commit, root }
  return root
}
