import type { ApiDocument } from "../document.ts";
import type { Shell } from "./curl.ts";
import { anchor, escapeHtml, headingsOf, markdown, prose } from "./html.ts";
import { operationSection } from "./operation-section.ts";
import { STYLE } from "./style.ts";

/** What a page has of its own, as HTML, and how its commands find the listener. */
export type PageParts = { lead: string; errors: string; shell: Shell };

/** A description for people: one page that needs nothing but itself. */
export function renderPage(document: ApiDocument, { lead, errors, shell }: PageParts): string {
  const { info, tags } = document;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API ${escapeHtml(info.version)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Contents">${contents(document)}</nav>
<main>
<header>
<h1>${escapeHtml(info.title)} API <span class="version">${escapeHtml(info.version)}</span></h1>
${lead}
</header>
${markdown(info.description)}
${tags.map((tag) => tagPart(tag, { document, shell })).join("\n")}
<h2 id="error-codes">Error codes</h2>
${errors}
<footer><p>For machines: <a href="openapi.json">openapi.json</a>.</p></footer>
</main>
</body>
</html>
`;
}

function operationsOf({ paths }: ApiDocument, tag: string) {
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
    .filter(({ operation }) => operation.tags.includes(tag));
}

function contents(document: ApiDocument): string {
  const link = (id: string, text: string): string => `<li><a href="#${id}">${text}</a></li>`;
  const general = headingsOf(document.info.description).map((title) => link(anchor(title), escapeHtml(title)));
  const groups = document.tags.map(({ name }) => {
    const links = operationsOf(document, name).map(({ method, path, operation }) =>
      link(operation.operationId, `<span class="method ${method}">${method.toUpperCase()}</span> ${shortPath(path)}`),
    );
    return `<p>${escapeHtml(name)}</p><ul>${links.join("")}</ul>`;
  });
  return `<p>General</p><ul>${general.join("")}</ul>${groups.join("")}<p><a href="#error-codes">Error codes</a></p>`;
}

/** What all paths of a listener begin with tells nobody anything; the rest breaks where it has a slash. */
const shortPath = (path: string): string =>
  escapeHtml(path.replace(/^\/admin\/v1(?=\/)/, "")).replaceAll(/(?<=.)\//g, "<wbr>/");

type Around = { document: ApiDocument; shell: Shell };

function tagPart({ name, description }: ApiDocument["tags"][number], { document, shell }: Around): string {
  const sections = operationsOf(document, name).map((place) => operationSection({ ...place, document, shell }));
  return `<h2 id="${anchor(name)}">${escapeHtml(name)}</h2><p>${prose(description)}</p>${sections.join("\n")}`;
}
