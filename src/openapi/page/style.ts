/** Fonts of the reader's own system, its light or dark, and tables that become lists on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1d2330; --quiet: #5b6475; --line: #dfe3ea; --shade: #f5f6f9; --link: #1f5fbf;
  --get: #1a6b45; --post: #8a4b08; --patch: #6b3fa0; --delete: #a3283a; --required: #a3283a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171d; --ink: #e4e7ee; --quiet: #9aa3b5; --line: #2d333f; --shade: #1c2028; --link: #82b1ff;
    --get: #6fd3a2; --post: #f0b26a; --patch: #c5a3f5; --delete: #ff8a9a; --required: #ff8a9a;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif;
}
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; font-size: .875rem;
  background: var(--shade); border-right: 1px solid var(--line);
}
nav p { margin: 1rem 0 .25rem; font-weight: 600; }
nav p:first-child { margin-top: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .2rem 0; text-decoration: none; overflow-wrap: break-word; }
nav p::first-letter { text-transform: uppercase; }
nav .method { display: inline-block; min-width: 3.6em; }
main { padding: 1.5rem 2.5rem 4rem; max-width: 62rem; }
a { color: var(--link); }
h1 { font-size: 1.9rem; margin: 0 0 1rem; line-height: 1.2; }
.version { color: var(--quiet); font-weight: 400; font-size: 1.1rem; }
h2::first-letter { text-transform: uppercase; }
h2 { margin: 2.5rem 0 .5rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 1.5rem 0 .25rem; font-size: 1.2rem; overflow-wrap: break-word; }
h4 { margin: 1.75rem 0 .5rem; font-size: 1rem; }
section { margin: 2rem 0 3rem; }
section > h3 { margin-top: 0; }
section + section { padding-top: 2rem; border-top: 1px solid var(--line); }
p, ul { margin: .5rem 0; max-width: 46rem; }
ul { padding-left: 1.25rem; }
.summary { font-size: 1.05rem; color: var(--quiet); margin-top: 0; }
.label { margin: .75rem 0 .25rem; font-size: .8125rem; color: var(--quiet); }
.method { font: 600 .8em ui-monospace, monospace; }
.get { color: var(--get); }
.post { color: var(--post); }
.patch { color: var(--patch); }
.delete { color: var(--delete); }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:not(pre) > code { background: var(--shade); border-radius: 3px; padding: .1em .3em; overflow-wrap: break-word; }
h3 > code { background: none !important; padding: 0 !important; font-size: 1em; }
pre {
  margin: .25rem 0 .75rem; padding: .8rem 1rem; overflow-x: auto; background: var(--shade);
  border: 1px solid var(--line); border-radius: 6px; line-height: 1.45;
}
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); font-size: .9375rem; }
details[open] > summary { margin-bottom: .4rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); font-size: .8125rem; }
td p, td ul { margin: 0; }
td:first-child > code { white-space: nowrap; }
td ul + ul { margin-top: .3rem; }
.headers { color: var(--quiet); font-size: .875rem; }
.required, .optional { font-size: .75rem; white-space: nowrap; color: var(--quiet); }
.required { color: var(--required); }
footer { margin-top: 3rem; color: var(--quiet); }
@media (max-width: 56rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.25rem 1rem 3rem; }
  table, tbody, tr, td { display: block; width: 100%; }
  thead { display: none; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { border: 0; padding: .1rem 0; }
  td:first-child > code { white-space: normal; }
  td[data-column^="OpenAI"]::before, td[data-column^="Anthropic"]::before {
    content: attr(data-column) ": "; color: var(--quiet); font-size: .8125rem;
  }
}
@media print {
  body { display: block; }
  nav { display: none; }
}
`.trim();
