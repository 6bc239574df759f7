import { referenceTo } from "../component.ts";
import type { OpenApiDocument } from "../document.ts";
import { fieldTable } from "./field-table.ts";
import { anchor, code, escapeHtml, headingsOf, markdown, prose, table } from "./html.ts";
import { operationSection } from "./operation-section.ts";
import { STYLE } from "./style.ts";

/** The description for people: one page that needs nothing but itself. */
export function renderDocsPage(document: OpenApiDocument): string {
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
${originTable(document)}
</header>
${markdown(info.description)}
${tags.map((tag) => tagPart(tag, document)).join("\n")}
<h2 id="error-codes">Error codes</h2>
${errorPart(document)}
<footer><p>For machines: <a href="openapi.json">openapi.json</a>.</p></footer>
</main>
</body>
</html>
`;
}

function operationsOf({ paths }: OpenApiDocument, tag: string) {
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
    .filter(({ operation }) => operation.tags.includes(tag));
}

function contents(document: OpenApiDocument): string {
  const link = (id: string, text: string): string => `<li><a href="#${id}">${text}</a></li>`;
  const general = headingsOf(document.info.description).map((title) => link(anchor(title), escapeHtml(title)));
  const groups = document.tags.map(({ name }) => {
    const links = operationsOf(document, name).map(({ method, path, operation }) =>
      link(operation.operationId, `<span class="method ${method}">${method.toUpperCase()}</span> ${escapeHtml(path)}`),
    );
    return `<p>${escapeHtml(name)}</p><ul>${links.join("")}</ul>`;
  });
  return `<p>General</p><ul>${general.join("")}</ul>${groups.join("")}<p><a href="#error-codes">Error codes</a></p>`;
}

function originTable({ servers }: OpenApiDocument): string {
  const rows = servers.map(({ url, description }) => {
    const origin = url === "/" ? "" : url;
    return [prose(description), code(origin || "/"), code(`${origin}/v1`)];
  });
  return table(["Keys", "Origin, for Format B clients", "Base URL, for Format A clients"], rows);
}

function errorPart(document: OpenApiDocument): string {
  const { schemas } = document.components;
  const envelopes = Object.entries(ENVELOPES).map(
    ([title, name]) =>
      `<h3>${title}</h3><p>${prose(schemas[name]?.description ?? "")}</p>${fieldTable(referenceTo(name), { schemas, side: "answer" })}`,
  );
  return `${codeTable(document)}${envelopes.join("")}`;
}

const ENVELOPES = { "Envelope of Format A": "FormatAError", "Envelope of Format B": "FormatBError" };

function codeTable(document: OpenApiDocument): string {
  const rows = document["x-error-codes"].map(({ code: name, condition, format_a: a, format_b: b }) => [
    `${code(name)}<p>${prose(condition)}</p>`,
    `${a.status} ${code(a.type)}`,
    `${b.status} ${code(b.type)}`,
  ]);
  return table(["Code", "Format A", "Format B"], rows);
}

function tagPart({ name, description }: OpenApiDocument["tags"][number], document: OpenApiDocument): string {
  const sections = operationsOf(document, name).map((place) => operationSection({ ...place, document }));
  return `<h2 id="${anchor(name)}">${escapeHtml(name)}</h2><p>${prose(description)}</p>${sections.join("\n")}`;
}
