/// How the page looks.
let style = #"""
  :root {
    color-scheme: light dark;
    --back: light-dark(#ffffff, #14161a); --panel: light-dark(#f6f7f9, #1a1d22);
    --line: light-dark(#e2e5ea, #2b3038); --text: light-dark(#1d2126, #dfe3e8);
    --dim: light-dark(#626a76, #939cab); --accent: light-dark(#1f5fd0, #7aabff);
    --pick: light-dark(#dfeafc, #223452); --hover: light-dark(#eff2f6, #20242b);
    --plus: light-dark(#146c34, #74d68f); --plusBack: light-dark(#e3f5e8, #16301f);
    --minus: light-dark(#a8281e, #ff9b8f); --minusBack: light-dark(#fdeae8, #3a1c1a);
    --warn: light-dark(#935200, #f0b05a); --warnBack: light-dark(#fdf1dd, #35280f);
    --code: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace;
    --hue: 212;
  }
  * { box-sizing: border-box }
  html, body { height: 100%; margin: 0 }
  body { display: flex; flex-direction: column; background: var(--back); color: var(--text);
    font: 13px/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding: 7px 12px;
    border-bottom: 1px solid var(--line) }
  h1 { font: 600 13px var(--code); margin: 0 }
  #note { margin: 0; color: var(--dim); flex: 1 1 12em }
  #tools { display: flex; flex-wrap: wrap; gap: 6px }
  input, select, button { font: inherit; color: inherit; background: var(--panel); height: 27px;
    border: 1px solid var(--line); border-radius: 6px; padding: 0 8px }
  button { cursor: pointer; min-width: 29px; padding: 0 6px }
  button:hover, select:hover { background: var(--hover) }
  input::placeholder { color: var(--dim); opacity: 1 }
  #find { width: 21em; flex: 1 1 11em } #type { max-width: 13em } #go { width: 6.2em }
  :focus { outline: none }
  :focus-visible:not(#list) { outline: 2px solid var(--accent); outline-offset: -1px }
  i { font-style: normal }
  .dot, .effect, .hued { --own: light-dark(hsl(var(--hue) 58% 40%), hsl(var(--hue) 62% 68%)) }
  .hued { color: var(--own) }

  #time { position: relative; background: var(--panel); flex: none; overflow: hidden;
    user-select: none; touch-action: none; cursor: crosshair; font: 11px/15px var(--code) }
  #time i { position: absolute; white-space: pre }
  #ruler { position: absolute; inset: 0; color: var(--dim) }
  #commits { position: relative; height: 38px }
  #lanes { position: relative; max-height: 32vh; overflow: hidden auto }
  #ruler .tick { top: 2px; bottom: 0; padding-left: 4px; border-left: 1px solid var(--line) }
  #ruler .now { top: 20px; bottom: 0; border-left: 1px solid var(--accent); opacity: .5 }
  .dot { display: inline-block; width: 9px; height: 9px; border-radius: 5px; background: var(--own);
    margin-right: 6px; vertical-align: middle }
  .dot.caused { width: 6px; height: 6px; margin: 0 7.5px 0 1.5px }
  .dot.late { height: 13px; background: var(--warn) }
  #time .dot { top: 27px; margin: 0; translate: -50% -50%; cursor: pointer }
  #time .dot::before { content: ""; position: absolute; inset: -6px -3px }
  #time .dot.picked { outline: 2px solid var(--accent); outline-offset: 2px; z-index: 1 }
  .dense .dot:not(.picked) { width: 1.5px; height: 12px; border-radius: 0 }
  .effect { height: 13px; cursor: pointer;
    background: linear-gradient(var(--own), var(--own)) 0 6px / 100% 1.5px no-repeat }
  .bar { height: 13px; overflow: hidden; line-height: 11px; padding-left: 4px; color: var(--text);
    background: color-mix(in srgb, var(--own) 26%, var(--panel)); border: 1px solid var(--own) }
  .bar.open { border-style: dashed }
  .cancelled .bar { background: var(--panel); color: var(--dim) }
  .cancelled::after { content: "×"; position: absolute; right: -4px; color: var(--minus);
    font: bold 13px/13px var(--code) }
  .arrow { top: 0; border-left: 1px solid; color: var(--dim); opacity: .7; pointer-events: none;
    translate: -.5px }
  .arrow::after { content: ""; position: absolute; left: -3.5px; border: 3px solid transparent }
  .arrow.down::after { bottom: 0; border-top: 5px solid; border-bottom: 0 }
  .arrow.up::after { top: 0; border-bottom: 5px solid; border-top: 0 }
  .arrow.picked { color: var(--accent); opacity: 1; z-index: 1 }
  .arrow.late { color: var(--warn); opacity: 1 }
  .picked .bar { border-color: var(--accent); outline: 1px solid var(--accent) }
  #legend { display: flex; gap: 0 16px; margin: 0; padding: 2px 12px; overflow: auto hidden;
    color: var(--dim); font-size: 11px; white-space: nowrap; background: var(--panel);
    border-bottom: 1px solid var(--line); scrollbar-width: none; flex: none }
  #legend .dot { margin: 0 }
  #legend .effect, #legend .bar { display: inline-block; vertical-align: -2px; width: 22px;
    cursor: inherit; --own: var(--dim) }
  #legend .effect { width: 42px; padding-left: 10px }
  #legend .cancelled::after { position: static }

  main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(20em, 11fr) 9fr }
  #list { overflow: auto; border-right: 1px solid var(--line); contain: strict }
  #rows { position: relative; font: 12px/24px var(--code) }
  .row { position: absolute; left: 0; right: 0; height: 24px; display: grid; cursor: default;
    padding: 0 12px 0 4px; gap: 10px; white-space: pre; border-left: 3px solid transparent;
    grid-template-columns: var(--digits) 10ch calc(var(--digits) + 3ch) minmax(9em, 1.15fr) 1fr }
  .row > * { overflow: hidden; text-overflow: ellipsis; min-width: 0; color: var(--dim) }
  .row > :nth-child(-n+2) { text-align: right }
  .row > :nth-child(4) { color: var(--text) }
  .row:hover { background: var(--hover) }
  .row[aria-selected=true] { background: var(--pick); border-left-color: var(--accent) }
  .tag { color: var(--warn); background: var(--warnBack); border-radius: 4px; padding: 0 5px;
    font-size: 11px; margin-right: 7px }
  #detail { overflow: auto; padding: 12px 16px 24px; min-width: 0; contain: strict }
  #detail h2 { font: 13px/1.5 var(--code); margin: 0 0 2px; overflow: auto; max-height: 6.1em }
  #detail h3 { font-size: 11px; font-weight: 600; color: var(--dim); margin: 16px 0 5px;
    letter-spacing: .04em; text-transform: uppercase }
  #detail :is(h2, li, .code), .tree { overflow-wrap: anywhere; white-space: pre-wrap }
  #detail :is(li, .code), .tree { font: 12px/1.55 var(--code) }
  #detail ul { list-style: none; margin: 0; padding: 0 }
  #detail li { padding: 4px 0 }
  #detail li + li { border-top: 1px solid var(--line) }
  a { color: var(--accent); text-decoration: none; cursor: pointer }
  a:hover { text-decoration: underline }
  .dim { color: var(--dim) }
  .warn { color: var(--warn); background: var(--warnBack); border-radius: 6px; padding: 5px 9px;
    margin: 5px 0 }
  .change { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 12px }
  .old, .new { border-radius: 3px; padding: 0 3px; margin: 0 1px }
  .old { color: var(--minus); background: var(--minusBack) }
  .new { color: var(--plus); background: var(--plusBack) }
  .tree details > div { margin-left: 6px; padding-left: 12px; border-left: 1px solid var(--line) }
  .tree summary { cursor: pointer }
  .leaf { padding-left: 14px; text-indent: -2px }
  .tree summary:hover, .leaf:hover { background: var(--hover) }
  .tree .mark { background: var(--plusBack) }
  dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--back);
    color: var(--text); padding: 16px 22px; max-width: 34em }
  dialog td { padding: 2px 18px 2px 0 } dialog p { color: var(--dim) }
  kbd { font: 12px var(--code); border: 1px solid var(--line); border-radius: 4px; padding: 1px 5px;
    background: var(--panel) }
  @media (max-width: 760px) {
    main { grid-template-columns: 1fr; grid-template-rows: 2fr 3fr }
    #list { border-right: 0; border-bottom: 1px solid var(--line) }
    .row { grid-template-columns: var(--digits) 10ch calc(var(--digits) + 3ch) 1fr }
    .row > :nth-child(5) { display: none }
    .change { grid-template-columns: 1fr }
    #tools { flex: 1 1 100% } #note { flex: 1 1 8em }
  }
  """#
