// Finds commits by their texts, which it keeps in lower case. It runs in a worker, so that the page
// stays responsive, or in the page if a worker may not run. So it uses nothing else of the script.
function searching(port) {
  let texts, paths, numbers, query = null, timer = 0

  const lower = list => list.join("\n").toLowerCase()

  function add(line) {
    try {
      const { number, intent, effects = [], began = [], changes = [] } = JSON.parse(line)
      if (number === undefined) return
      texts.push(lower([intent, effects, began, changes.map(([path, , a, b]) => [path, a, b])].flat(2)))
      paths.push(changes.length ? lower(changes.map(([path]) => path)) : null)
      numbers.push(number)
    } catch {
      // The page counts unreadable lines.
    }
  }

  const leads = (path, to) => to.startsWith(path) && ".[".includes(to[path.length])
  const touches = (path, wanted) => path == "" || path == wanted || leads(path, wanted)
    || leads(wanted, path)

  function matching(text, path) {
    if (path === null) return i => texts[i].includes(text)
    const known = new Map([[null, false]])
    return i => {
      const own = paths[i]
      if (!known.has(own)) known.set(own, own.split("\n").some(each => touches(each, path)))
      return known.get(own)
    }
  }

  // A query that extends the last one searches only its results and the commits not searched yet.
  function search(wanted) {
    if (!wanted) return void (query = null)
    const { text, path } = wanted, last = query
    const goesOn = last && path === null && last.path === null && text.includes(last.text)
    query = { ...wanted, isWanted: matching(text, path), hits: [], next: goesOn ? last.next : 0,
      among: goesOn ? last.hits.concat(last.among.slice(last.at)) : [], at: 0 }
    work()
  }

  // Searches for a few milliseconds, sends the results, and lets other queries through.
  function work() {
    clearTimeout(timer)
    if (!query) return
    const stop = performance.now() + 12, { hits, among, isWanted } = query, first = hits.length
    const isMore = () => query.at < among.length || query.next < numbers.length
    for (let n = 1; isMore() && (n % 256 || performance.now() < stop); n++) {
      const i = query.at < among.length ? among[query.at++] : query.next++
      if (isWanted(i)) hits.push(i)
    }
    port.postMessage({ id: query.id, searched: query.next, isDone: !isMore(),
      found: hits.slice(first).map(i => numbers[i]) })
    if (isMore()) timer = setTimeout(work)
  }

  port.onmessage = ({ data: { isNew, lines, wanted } }) => {
    if (isNew) texts = [], paths = [], numbers = [], query = null
    if (lines) for (const line of lines) add(line)
    if (wanted !== undefined) search(wanted)
    else work()
  }
}
