import type { Address } from "../../../src/core/description.ts";
import { referenceTo } from "../component.ts";
import type { OpenApiDocument } from "../document.ts";
import type { Shell } from "./curl.ts";
import { fieldTable } from "./field-table.ts";
import { code, prose, table } from "./html.ts";
import { renderPage } from "./page.ts";

const SHELL: Shell = { origin: null, credential: "TOLLGATE_KEY", sdks: "official" };

/** The description of the public interface for people. */
export const renderDocsPage = (document: OpenApiDocument, address: Address): string =>
  renderPage(document, {
    lead: `<p class="summary">${prose(document.info.summary)}</p>${originTable(document)}`,
    errors: errorPart(document),
    shell: SHELL,
    guessedUrl: address === "guessed" ? (document.servers[0]?.url ?? null) : null,
  });

function originTable({ servers }: OpenApiDocument): string {
  const rows = servers.map(({ url, description }) => {
    const origin = url === "/" ? "" : url;
    return [prose(description), code(`${origin}/v1`), code(origin || "/")];
  });
  return table(["Key", "OpenAI-compatible base URL (Format A)", "Anthropic-compatible base URL (Format B)"], rows);
}

function errorPart(document: OpenApiDocument): string {
  const { schemas } = document.components;
  const envelopes = Object.entries(ENVELOPES).map(
    ([title, name]) =>
      `<h3>${title}</h3><p>${prose(schemas[name]?.description ?? "")}</p>${fieldTable(referenceTo(name), { schemas, side: "answer" })}`,
  );
  return `${codeTable(document)}${envelopes.join("")}`;
}

const ENVELOPES = {
  "OpenAI-compatible error body (Format A)": "FormatAError",
  "Anthropic-compatible error body (Format B)": "FormatBError",
};

function codeTable(document: OpenApiDocument): string {
  const rows = document["x-error-codes"].map(({ code: name, condition, format_a: a, format_b: b }) => [
    `${code(name)}<p>${prose(condition)}</p>`,
    `${a.status} ${code(a.type)}`,
    `${b.status} ${code(b.type)}`,
  ]);
  return table(["Code", "OpenAI-compatible", "Anthropic-compatible"], rows);
}
