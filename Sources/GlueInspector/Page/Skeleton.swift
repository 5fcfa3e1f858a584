/// What the page has in it before its script makes the rest.
let skeleton = #"""
  <header>
  <h1 id="name"></h1>
  <p id="note" role="status"></p>
  <div id="tools">
  <input id="find" type="search" spellcheck="false" autocomplete="off" aria-label="Filter"
   placeholder="Filter by text, or path:a.part" title="Filter ( / )">
  <select id="type" aria-label="Type of intent" title="Type of intent"></select>
  <input id="go" inputmode="numeric" size="7" autocomplete="off" aria-label="Go to number"
   placeholder="Go to #" title="Go to number ( g )">
  <button id="back" title="Previous ( k )" aria-label="Previous">◂</button>
  <button id="play" title="Play ( space )" aria-label="Play">▶</button>
  <button id="next" title="Next ( j )" aria-label="Next">▸</button>
  <button id="help" title="Keys ( ? )" aria-label="Keys">?</button>
  </div>
  </header>
  <section id="time" aria-label="Time line">
  <div id="ruler"></div><div id="commits"></div><div id="lanes"></div></section>
  <p id="legend"><span><i class="dot"></i> intent from outside</span>
  <span><i class="dot caused"></i> from an effect</span>
  <span><i class="dot late"></i> overtaken</span>
  <span><b>↓</b> its effects</span> <span><b>↑</b> their intents</span>
  <span><i class="effect"><i class="bar"></i></i> effect:
  waits, runs, until its last intent came</span>
  <span><i class="bar open"></i> start or end not known</span>
  <span><i class="cancelled"></i> cancelled</span></p>
  <main>
  <div id="list" role="listbox" tabindex="0" aria-label="Commits"><div id="rows"></div></div>
  <article id="detail" aria-label="Selected commit" tabindex="-1"></article>
  </main>
  <dialog id="keys"><table id="keyTable"></table>
  <p>Scroll over the time line to zoom, drag to move. Click a path to see all that changed it.</p>
  <form method="dialog"><button>Close</button></form></dialog>
  """#
