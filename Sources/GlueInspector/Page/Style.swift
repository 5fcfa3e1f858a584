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
  }
  :root.light { color-scheme: light }
  :root.dark { color-scheme: dark }
  * { box-sizing: border-box }
  html, body { height: 100%; margin: 0 }
  body { display: flex; flex-direction: column; background: var(--back); color: var(--text);
    font: 13px/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding: 7px 12px;
    border-bottom: 1px solid var(--line) }
  h1 { font-size: 14px; font-weight: 500; margin: 0; color: var(--dim) }
  h1 span { color: var(--text); font: 600 13px var(--code); margin-left: 3px }
  #note { margin: 0; color: var(--dim); flex: 1 1 12em }
  #tools { display: flex; flex-wrap: wrap; gap: 6px; flex: 0 1 auto; min-width: 0 }
  input, select, button { font: inherit; color: inherit; background: var(--panel); height: 27px;
    border: 1px solid var(--line); border-radius: 6px; padding: 0 8px }
  button { cursor: pointer; min-width: 29px; padding: 0 6px }
  button:hover, select:hover { background: var(--hover) }
  input::placeholder { color: var(--dim); opacity: 1 }
  #find { width: 21em; flex: 1 1 11em } #type { max-width: 13em } #go { width: 6.2em }
  .group { display: inline-flex }
  .group button { border-radius: 0; border-left-width: 0 }
  .group button:first-child { border-radius: 6px 0 0 6px; border-left-width: 1px }
  .group button:last-child { border-radius: 0 6px 6px 0 }
  :focus { outline: none }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: -1px }
  #time { position: relative; border-bottom: 1px solid var(--line); background: var(--panel);
    flex: none }
  canvas { display: block; width: 100%; cursor: crosshair; touch-action: none }
  #tip { position: absolute; pointer-events: none; max-width: min(46em, 80%); z-index: 2;
    padding: 3px 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--back);
    font: 12px/1.45 var(--code); overflow-wrap: anywhere; box-shadow: 0 2px 10px #0003 }
  main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(20em, 11fr) 9fr }
  #list { overflow: auto; border-right: 1px solid var(--line); contain: strict }
  #list:focus-visible { outline: none }
  #rows { position: relative; font: 12px/24px var(--code) }
  .row { position: absolute; left: 0; right: 0; height: 24px; display: grid; cursor: default;
    padding: 0 12px 0 4px;
    grid-template-columns: calc(var(--digits) + 20px) 10ch calc(var(--digits) + 34px)
      minmax(9em, 1.15fr) minmax(0, 1fr);
    white-space: pre; border-left: 3px solid transparent }
  .row > * { overflow: hidden; text-overflow: ellipsis }
  .row > :nth-child(-n+2) { text-align: right; color: var(--dim) }
  .row > :nth-child(3) { color: var(--dim); padding-left: 12px }
  .row > :nth-child(5) { color: var(--dim); padding-left: 14px }
  .row:hover { background: var(--hover) }
  .row.kin { border-left-color: color-mix(in srgb, var(--accent) 55%, transparent) }
  .row[aria-selected=true] { background: var(--pick); border-left-color: var(--accent) }
  .row i { font-style: normal; display: inline-block; width: 16px }
  .late { color: var(--warn); background: var(--warnBack); border-radius: 4px; padding: 0 5px;
    font-size: 11px; line-height: 16px; display: inline-block; margin-right: 7px }
  #detail { overflow: auto; padding: 12px 16px 24px; min-width: 0; contain: strict }
  #detail h2 { font: 13px/1.5 var(--code); margin: 0 0 2px; overflow-wrap: anywhere;
    white-space: pre-wrap }
  #detail h3 { font-size: 11px; font-weight: 600; color: var(--dim); margin: 18px 0 5px;
    letter-spacing: .04em; text-transform: uppercase }
  #detail p { margin: 2px 0; color: var(--dim) }
  #detail h2 span { color: var(--dim) }
  .code, #detail li { font: 12px/1.55 var(--code); overflow-wrap: anywhere; white-space: pre-wrap }
  #detail ol, #detail ul { list-style: none; margin: 0; padding: 0 }
  #detail li { padding: 4px 0 }
  #detail li + li { border-top: 1px solid var(--line) }
  a { color: var(--accent); text-decoration: none; cursor: pointer }
  a:hover { text-decoration: underline }
  .from { display: flex; flex-wrap: wrap; gap: 2px 6px; font: 12px/1.55 var(--code) }
  .from span { color: var(--dim) }
  .warn { color: var(--warn) !important; background: var(--warnBack); border-radius: 6px;
    padding: 5px 9px }
  .change { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 12px }
  .old, .new { border-radius: 3px; padding: 0 3px; margin: 0 1px }
  .old { color: var(--minus); background: var(--minusBack) }
  .new { color: var(--plus); background: var(--plusBack) }
  .dim { color: var(--dim) }
  .tree { font: 12px/1.6 var(--code) }
  .tree details > div { margin-left: 6px; padding-left: 12px; border-left: 1px solid var(--line) }
  .tree summary, .leaf { overflow-wrap: anywhere; white-space: pre-wrap; border-radius: 3px }
  .tree summary { cursor: pointer }
  .leaf { padding-left: 14px; text-indent: -2px }
  .tree summary:hover, .leaf:hover { background: var(--hover) }
  .mark { background: var(--plusBack) }
  dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--back);
    color: var(--text); padding: 16px 22px; max-width: 34em; box-shadow: 0 8px 40px #0005 }
  dialog::backdrop { background: #0004 }
  dialog h2 { font-size: 14px; margin: 0 0 8px }
  dialog td { padding: 2px 18px 2px 0 } dialog p { color: var(--dim) }
  kbd { font: 12px var(--code); border: 1px solid var(--line); border-radius: 4px; padding: 1px 5px;
    background: var(--panel) }
  @media (max-width: 760px) {
    main { grid-template-columns: 1fr; grid-template-rows: 2fr 3fr }
    #list { border-right: 0; border-bottom: 1px solid var(--line) }
    .row { grid-template-columns: calc(var(--digits) + 14px) 10ch calc(var(--digits) + 30px)
      minmax(0, 1fr) }
    .row > :nth-child(5) { display: none }
    .change { grid-template-columns: 1fr }
    #tools { flex: 1 1 100% } #note { flex: 1 1 8em }
  }
  @media (prefers-reduced-motion: no-preference) { .row { transition: background .08s } }
  """#
