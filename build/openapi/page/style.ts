/** Fonts of the reader's own system, light or dark as the reader has it, and tables that become lists on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fff, #13161c); --ink: light-dark(#1b2130, #e5e8ef); --quiet: light-dark(#576074, #9fa8ba);
  --line: light-dark(#e1e5ec, #2b313d); --shade: light-dark(#f5f7fa, #1a1e26); --link: light-dark(#1b59b8, #86b4ff);
  --get: light-dark(#17653f, #6fd3a2); --post: light-dark(#7f4406, #f0b26a); --patch: light-dark(#653a99, #c5a3f5);
  --delete: light-dark(#9c2436, #ff8a9a); --hit: light-dark(#fff3c4, #4a3f14);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1.5rem; text-size-adjust: none; -webkit-text-size-adjust: none; }
body {
  margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, sans-serif;
}
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; padding: .5rem 1rem; background: var(--paper); }
.status { position: fixed; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
a { color: var(--link); text-underline-offset: .15em; }
button, input { font: inherit; color: inherit; }

.bar {
  position: sticky; top: 0; z-index: 2; height: 100vh; display: flex; flex-direction: column; gap: .9rem;
  padding: 1.25rem 0 0; background: var(--shade); border-right: 1px solid var(--line);
}
.brand { margin: 0; padding: 0 1.25rem; font-weight: 650; }
.brand a { color: inherit; text-decoration: none; }
.tools { display: flex; gap: .5rem; padding: 0 1rem 0 1.25rem; }
.search { position: relative; flex: 1; min-width: 0; }
.search input {
  width: 100%; height: 2.25rem; padding: 0 2rem 0 .7rem; font-size: .9375rem; background: var(--paper);
  border: 1px solid var(--line); border-radius: 6px;
}
.search input::placeholder { color: var(--quiet); opacity: 1; }
.search kbd {
  position: absolute; right: .5rem; top: .45rem; padding: 0 .4rem; font: .75rem/1.3rem var(--mono); color: var(--quiet);
  border: 1px solid var(--line); border-radius: 4px; pointer-events: none;
}
.search input:focus + kbd { display: none; }
#found {
  position: absolute; top: 2.6rem; left: 0; width: min(30rem, 90vw); max-height: min(26rem, 70vh); overflow-y: auto;
  margin: 0; padding: .35rem; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: 8px;
  box-shadow: 0 8px 30px rgb(0 0 0 / .18);
}
#found li { padding: .4rem .6rem; border-radius: 5px; cursor: pointer; line-height: 1.35; }
#found li[aria-selected="true"] { background: light-dark(#e6eefb, #24324a); }
#found b, #found code { display: block; font-size: .9375rem; font-weight: 600; padding: 0; background: none; overflow-wrap: anywhere; }
#found code { font-size: .8438rem; }
#found small { display: block; font-size: .8125rem; color: var(--quiet); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#found .none { cursor: default; color: var(--quiet); }
.theme {
  flex: none; width: 2.25rem; height: 2.25rem; padding: 0; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; cursor: pointer;
}
.theme::before {
  content: ""; display: block; width: 1rem; height: 1rem; margin: auto; border: 2px solid var(--quiet); border-radius: 50%;
  background: linear-gradient(90deg, var(--quiet) 50%, transparent 50%);
}
.menu { flex: 1; min-height: 0; overflow-y: auto; padding: 0 1rem 2rem 1.25rem; font-size: .9063rem; }
nav p { margin: 1.25rem 0 .3rem; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
nav p:first-child { margin-top: .25rem; }
nav p::first-letter, h2::first-letter { text-transform: uppercase; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a {
  display: flex; gap: .35rem; align-items: baseline; margin-left: -.6rem; padding: .2rem .6rem; border-radius: 5px;
  color: inherit; text-decoration: none; line-height: 1.4;
}
nav a:hover, nav a[aria-current] { background: light-dark(#e8edf5, #262c38); }
nav a[aria-current] { font-weight: 550; }
nav .method { flex: none; width: 3.2em; font-size: .7188rem; }
@supports selector(::details-content) {
  @media (min-width: 56.01rem) {
    .menu > summary { display: none; }
    .menu::details-content { content-visibility: visible; display: block; }
  }
}

main { padding: 2.25rem 3rem 5rem; max-width: 92rem; min-width: 0; }
h1 { font-size: 2rem; margin: 0 0 .25rem; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 3.5rem 0 .5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h3 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.3; }
h4 { margin: 2rem 0 .25rem; font-size: 1rem; }
.codes h3 { margin-top: 2rem; }
p, ul { margin: .6rem 0; max-width: 44rem; }
ul { padding-left: 1.25rem; }
li + li { margin-top: .3rem; }
.version { margin: 0 0 1rem; color: var(--quiet); font-size: .9063rem; }
.summary { font-size: 1.125rem; margin: 0 0 1rem; }
.intro h2 { margin-top: 2.25rem; font-size: 1.25rem; }
.route { margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
.label { margin: 1rem 0 .3rem; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
.method { font: 700 .8125rem var(--mono); }
.get { color: var(--get); }
.post { color: var(--post); }
.patch { color: var(--patch); }
.delete { color: var(--delete); }
section { padding: 2.25rem 0; border-top: 1px solid var(--line); scroll-margin-top: 0; }
h2 + p + section { margin-top: 1.25rem; }
code { font: .875em var(--mono); }
:not(pre) > code { background: var(--shade); border-radius: 4px; padding: .12em .32em; overflow-wrap: break-word; }
.code { position: relative; margin: .25rem 0 .75rem; }
pre {
  margin: 0; padding: .9rem 1rem; max-height: 36rem; overflow: auto; background: var(--shade);
  border: 1px solid var(--line); border-radius: 8px; font-size: .9375rem; line-height: 1.5; tab-size: 2;
}
pre code { font-size: .875em; }
.copy {
  position: absolute; top: .45rem; right: .45rem; padding: .15rem .6rem; font-size: .75rem; line-height: 1.4; cursor: pointer;
  color: var(--quiet); background: var(--paper); border: 1px solid var(--line); border-radius: 5px;
}
.copy:hover, .copy:focus-visible { color: var(--ink); }
.tablist { display: flex; gap: .25rem; overflow-x: auto; scrollbar-width: none; padding: 3px; margin: 0 -3px .15rem; }
.tablist button {
  flex: none; padding: .2rem .5rem; font-size: .8125rem; cursor: pointer; color: var(--quiet); background: none;
  border: 1px solid transparent; border-radius: 5px;
}
.tablist button:hover { color: var(--ink); }
.tablist button[aria-selected="true"] { color: var(--ink); font-weight: 600; background: var(--shade); border-color: var(--line); }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); font-size: .9063rem; }
details[open] > summary { margin-bottom: .4rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); font-size: .8125rem; }
td p, td ul { margin: 0; }
td:first-child > code { overflow-wrap: anywhere; background: none; padding: 0; font-weight: 600; }
.fields, .fields tbody, .fields tr { display: block; }
.fields thead { position: absolute; clip-path: inset(50%); }
.fields tr { padding: .65rem 0; border-bottom: 1px solid var(--line); }
.fields tr:first-child { border-top: 1px solid var(--line); }
.fields td { display: inline; border: 0; padding: 0 .5rem 0 0; }
.fields td[data-column="Type"], .fields td[data-column="In"] { color: var(--quiet); font-size: .875rem; }
.fields td:last-child { display: block; padding: .15rem 0 0; }
td[data-column="Status"] { width: 4rem; }
td[data-column="When"] > ul:first-child { padding: 0; list-style: none; }
td[data-column^="OpenAI"], td[data-column^="Anthropic"] { white-space: nowrap; }
td ul + ul { margin-top: .3rem; }
.headers { color: var(--quiet); font-size: .875rem; }
.required, .optional { font-size: .75rem; white-space: nowrap; color: var(--quiet); }
.required { color: var(--delete); }
.hit { background: var(--hit); outline: 0; }
@media (min-width: 80rem) {
  section {
    display: grid; grid-template: "head samples" auto "rest samples" 1fr / minmax(0, 1fr) minmax(0, 34rem); column-gap: 3rem;
  }
  .head { grid-area: head; }
  .rest { grid-area: rest; }
  .samples { grid-area: samples; position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; scrollbar-width: thin; }
}
@media (max-width: 56rem) {
  html { scroll-padding-top: 4.5rem; }
  body { display: block; }
  .bar {
    height: auto; flex-direction: row; align-items: center; gap: .5rem; padding: .6rem 1rem; border-right: 0;
    border-bottom: 1px solid var(--line);
  }
  .brand { padding: 0; white-space: nowrap; }
  .tools { flex: 1; justify-content: flex-end; min-width: 0; padding: 0; }
  .search { flex: 0 1 20rem; }
  .search kbd { display: none; }
  .search input { padding-right: .5rem; font-size: 1rem; }
  #found { left: auto; right: 0; }
  .menu { flex: none; margin: 0; padding: 0; overflow: visible; }
  .menu > summary {
    list-style: none; padding: .25rem .75rem; line-height: 1.65rem; color: inherit; background: var(--paper);
    border: 1px solid var(--line); border-radius: 6px;
  }
  .menu > summary::-webkit-details-marker { display: none; }
  details.menu[open] > summary { margin: 0; }
  nav {
    position: absolute; left: 0; right: 0; top: 100%; max-height: calc(100vh - 4rem); max-height: calc(100dvh - 4rem);
    overflow-y: auto; overscroll-behavior: contain; padding: 1rem 1.25rem 2rem; background: var(--shade);
    border-bottom: 1px solid var(--line); box-shadow: 0 12px 24px rgb(0 0 0 / .15); font-size: 1rem;
  }
  nav a { padding-block: .45rem; }
  main { padding: 1.5rem 1rem 4rem; }
  h1 { font-size: 1.7rem; }
  h2 { margin-top: 2.75rem; }
  pre { max-height: 28rem; }
  table, tbody, tr, table:not(.fields) td { display: block; width: auto !important; }
  thead { display: none; }
  table:not(.fields) td { white-space: normal; }
  tr { padding: .65rem 0; border-bottom: 1px solid var(--line); }
  table:not(.fields) td { border: 0; padding: .1rem 0; }
  td[data-column^="OpenAI"]::before, td[data-column^="Anthropic"]::before {
    content: attr(data-column) ": "; color: var(--quiet); font-size: .8125rem;
  }
}
@media (max-width: 30rem) {
  pre { padding-top: 2.3rem; }
  .brand { flex: none; max-width: 34%; white-space: normal; line-height: 1.2; }
  #found { position: fixed; top: 3.6rem; left: .75rem; right: .75rem; width: auto; }
}
@media print {
  body { display: block; font-size: 11pt; }
  .bar, .copy, .skip, .tablist { display: none; }
  main { padding: 0; max-width: none; }
  section { display: block; }
  .samples { position: static; max-height: none; overflow: visible; }
  pre { max-height: none; white-space: pre-wrap; overflow-wrap: anywhere; }
  tr, pre { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
}
`.trim();
