import { escapeHtml } from "../../../src/core/text/escape-html.ts";
import type { ApiDocument } from "../document.ts";
import type { Shell } from "./curl.ts";
import { anchor, headingsOf, markdown, prose } from "./html.ts";
import { operationSection } from "./operation-section.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

export type PageParts = {
  /** What a page has of its own, as HTML. */
  lead: string;
  errors: string;
  /** How its commands find the listener. */
  shell: Shell;
  /** A base URL on the page that readers may know by another name: the script puts the one they used in its place. */
  guessedUrl: string | null;
};

/** A description for people: one page that needs nothing but itself. It can be read whole without its script. */
export function renderPage(document: ApiDocument, { lead, errors, shell, guessedUrl }: PageParts): string {
  const { info, tags } = document;
  const title = escapeHtml(info.title);
  return `<!doctype html>
<html lang="en"${guessedUrl === null ? "" : ` data-url="${escapeHtml(guessedUrl)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="bar">
<p class="brand"><a href="#content">${title}</a></p>
${SEARCH}
<details class="menu"><summary>Menu</summary><nav aria-label="Contents">${contents(document)}</nav></details>
</div>
<main id="content">
<header>
<h1>${title}</h1>
<p class="version">Interface version ${escapeHtml(info.version)} · <a href="openapi.json">OpenAPI document</a></p>
${lead}
</header>
<div class="intro">
${markdown(info.description)}
</div>
${tags.map((tag) => tagPart(tag, { document, shell })).join("\n")}
<h2 id="error-codes">Error codes</h2>
<div class="codes">${errors}</div>
</main>
<p class="status" role="status"></p>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** Of no use without the script, which shows it. */
const SEARCH = `<div class="tools" hidden>
<div class="search" role="search">
<input type="search" role="combobox" aria-label="Search operations, fields and error codes" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search">
<kbd aria-hidden="true">/</kbd>
<ul id="found" role="listbox" aria-label="Search results" hidden></ul>
</div>
<button type="button" class="theme" aria-label="Switch between light and dark"></button>
</div>`;

function operationsOf({ paths, "x-additions": additions }: ApiDocument, tag: string) {
  return Object.entries({ ...paths, ...additions })
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
    .filter(({ operation }) => operation.tags.includes(tag));
}

function contents(document: ApiDocument): string {
  const link = (id: string, text: string): string => `<li><a href="#${id}">${text}</a></li>`;
  const general = headingsOf(document.info.description).map((title) => link(anchor(title), escapeHtml(title)));
  const groups = document.tags.map(({ name }) => {
    const links = operationsOf(document, name).map(({ method, operation }) =>
      link(
        operation.operationId,
        `<span class="method ${method}">${SHORT_METHODS[method] ?? method}</span> ${nameOf(operation.summary)}`,
      ),
    );
    return `<p>${escapeHtml(name)}</p><ul>${links.join("")}</ul>`;
  });
  return `<p>Overview</p><ul>${general.join("")}${link("error-codes", "Error codes")}</ul>${groups.join("")}`;
}

/** A summary without what follows a semicolon. */
const nameOf = (summary: string): string => escapeHtml(summary.replace(/; .*/s, "").replaceAll("`", ""));

const SHORT_METHODS: Record<string, string> = { get: "GET", post: "POST", patch: "PATCH", delete: "DEL" };

type Around = { document: ApiDocument; shell: Shell };

function tagPart({ name, description }: ApiDocument["tags"][number], { document, shell }: Around): string {
  const sections = operationsOf(document, name).map((place) => operationSection({ ...place, document, shell }));
  return `<h2 id="${anchor(name)}">${escapeHtml(name)}</h2><p>${prose(description)}</p>${sections.join("\n")}`;
}
