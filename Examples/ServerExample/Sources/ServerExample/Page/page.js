"use strict"
const $ = id => document.getElementById(id)
const rows = new Map()

function connect() {
  const source = new EventSource("/events")
  source.onmessage = event => show(JSON.parse(event.data).tasks)
  source.onerror = () => {
    $("note").textContent = "Not connected. Trying again …"
    if (source.readyState == EventSource.CLOSED) setTimeout(connect, 1000)
  }
}

function show(tasks) {
  $("note").textContent = tasks.length ? "" : "Nothing to do."
  const left = new Set(tasks.map(task => task.id))
  for (const [id, row] of rows) {
    if (left.has(id)) continue
    row.item.remove()
    rows.delete(id)
  }
  for (const task of tasks) {
    if (!rows.has(task.id)) rows.set(task.id, makeRow(task.id))
    const row = rows.get(task.id)
    row.item.className = task.isDone ? "done" : ""
    row.done.checked = task.isDone
    if (document.activeElement != row.title) row.title.value = task.title
    row.known = task.title
  }
}

function makeRow(id) {
  const row = {}
  row.item = $("tasks").appendChild(document.createElement("li"))
  row.done = row.item.appendChild(document.createElement("input"))
  row.done.type = "checkbox"
  row.done.ariaLabel = "Done"
  row.done.onchange = () => send({ mark: { id, isDone: row.done.checked } })
  row.title = row.item.appendChild(document.createElement("input"))
  row.title.ariaLabel = "Title"
  row.title.maxLength = 200
  row.title.onchange = async () => {
    if (!await send({ rename: { id, title: row.title.value } })) row.title.value = row.known
  }
  const button = row.item.appendChild(document.createElement("button"))
  button.textContent = "Remove"
  button.onclick = () => send({ remove: { id } })
  return row
}

async function send(wish) {
  $("problem").textContent = ""
  try {
    const answer = await fetch("/intents", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish),
    })
    if (answer.ok) return true
    $("problem").textContent = (await answer.json()).error.message
  } catch {
    $("problem").textContent = "Not connected. It was not saved, or nobody knows."
  }
  return false
}

$("new").onsubmit = async event => {
  event.preventDefault()
  if (await send({ add: { title: $("title").value } })) $("title").value = ""
}
connect()
