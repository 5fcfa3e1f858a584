"use strict"
const $ = id => document.getElementById(id)
const rows = new Map()

function connect() {
  const source = new EventSource("/events")
  source.onmessage = event => show(JSON.parse(event.data).todos)
  source.onerror = () => {
    $("note").textContent = "Not connected. Trying again …"
    if (source.readyState == EventSource.CLOSED) setTimeout(connect, 1000)
  }
}

function show(todos) {
  $("note").textContent = todos.length ? "" : "Nothing to do."
  for (const [id, { item }] of rows) {
    if (todos.some(todo => todo.id == id)) continue
    item.remove()
    rows.delete(id)
  }
  for (const todo of todos) {
    if (!rows.has(todo.id)) rows.set(todo.id, makeRow("/todos/" + todo.id))
    const row = Object.assign(rows.get(todo.id), { todo })
    if (document.activeElement != row.title) row.title.value = todo.title
    row.done.checked = todo.doneAt != null
    row.item.className = row.done.checked ? "done" : ""
  }
}

function makeRow(path) {
  const add = (parent, name, values) =>
    Object.assign(parent.appendChild(document.createElement(name)), values)
  const item = add($("todos"), "li")
  const done = add(item, "input", { type: "checkbox", ariaLabel: "Done" })
  const title = add(item, "input", { ariaLabel: "Title", maxLength: 200 })
  const row = { item, done, title }
  const change = async todo => {
    if (await send("PATCH", path, todo)) return
    title.value = row.todo.title
    done.checked = row.todo.doneAt != null
  }
  done.onchange = () => change({ isDone: done.checked })
  title.onchange = () => change({ title: title.value })
  add(item, "button", { textContent: "Remove" }).onclick = () => send("DELETE", path)
  return row
}

async function send(method, path, todo) {
  $("problem").textContent = ""
  const headers = { "Content-Type": "application/json" }, signal = AbortSignal.timeout(10_000)
  try {
    const answer = await fetch(path, { method, headers, signal, body: JSON.stringify(todo) })
    if (answer.ok) return true
    $("problem").textContent = (await answer.json()).error.message
  } catch {
    $("problem").textContent = "No answer: the change may not have been saved."
  }
}

$("new").onsubmit = async event => {
  event.preventDefault()
  if (await send("POST", "/todos", { title: $("title").value })) $("title").value = ""
}
connect()
