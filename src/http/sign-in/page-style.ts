/** The colours of the console, in the reader's own font, light or dark as the reader has it. One column, so that a phone shows the same. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f6f4, #0e1013); --surface: light-dark(#ffffff, #15181c); --sunken: light-dark(#eeeeeb, #1b1f24);
  --line: light-dark(#e3e3df, #262b31); --edge: light-dark(#8b8b84, #6d747e);
  --ink: light-dark(#17191c, #eceef1); --ink-2: light-dark(#4b4e55, #b4bac3);
  --accent: light-dark(#17653f, #6ccb98); --accent-ink: light-dark(#ffffff, #07150d);
  --warn: light-dark(#875000, #e5ae52); --warn-soft: light-dark(#fbf0da, #33260d);
  --bad: light-dark(#b0241c, #ff8f85); --bad-soft: light-dark(#fbe8e6, #3b1613);
  --good: light-dark(#17653f, #6ccb98); --good-soft: light-dark(#e2f0e8, #15301f);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { text-size-adjust: none; -webkit-text-size-adjust: none; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; padding: 12vh 1rem 2rem;
  background: var(--paper); color: var(--ink); font: 16px/1.5 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { width: 100%; max-width: 31rem; }
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1rem .25rem; font-weight: 600; letter-spacing: -.01em; }
.card {
  padding: 1.75rem; background: var(--surface); border: 1px solid var(--line); border-radius: 10px;
  box-shadow: 0 1px 2px light-dark(#0000000a, #00000066), 0 8px 24px light-dark(#00000014, #00000080);
}
h1 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.75rem; letter-spacing: -.01em; }
a { color: var(--accent); }
p { margin: 0 0 1rem; color: var(--ink-2); }
label { display: block; margin-bottom: .375rem; font-weight: 500; }
input[type="text"] {
  width: 100%; height: 3.25rem; padding: 0 .75rem; font: 600 1.5rem var(--mono); letter-spacing: .12em; text-align: center;
  text-transform: uppercase; color: var(--ink); background: var(--surface); border: 1px solid var(--edge); border-radius: 6px;
}
input::placeholder { color: var(--ink-2); opacity: .45; }
button {
  flex: 1; height: 2.75rem; padding: 0 1rem; font: inherit; font-weight: 600; border-radius: 6px; cursor: pointer;
  color: var(--ink); background: var(--surface); border: 1px solid var(--edge);
}
button.main { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.buttons { display: flex; gap: .75rem; margin-top: 1.25rem; }
.code { margin: 0 0 1.25rem; padding: .75rem; font: 600 1.5rem/2rem var(--mono); letter-spacing: .12em; text-align: center; background: var(--sunken); border-radius: 6px; color: var(--ink); }
dl { margin: 0 0 1.25rem; border-top: 1px solid var(--line); }
dl div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .75rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--ink-2); }
dd { margin: 0; overflow-wrap: anywhere; }
.note { margin: 0 0 1rem; padding: .625rem .75rem; border-radius: 6px; font-size: .9375rem; color: var(--ink); background: var(--sunken); }
.note.warn { color: var(--warn); background: var(--warn-soft); }
.note.bad { color: var(--bad); background: var(--bad-soft); }
.note.good { color: var(--good); background: var(--good-soft); }
.note.after { margin-top: 1.25rem; }
.card > :last-child { margin-bottom: 0; }
footer { margin: 1rem .25rem 0; font-size: .875rem; color: var(--ink-2); overflow-wrap: anywhere; }
@media (max-width: 30rem) { body { padding-top: 1.5rem; } .card { padding: 1.25rem; } dl div { grid-template-columns: 1fr; gap: 0; } }
`;
