import { escapeHtml } from "../../../src/core/text/escape-html.ts";
import { type ApiDocument, type Operation, resolvePart } from "../document.ts";
import { curlFor, type Shell } from "./curl.ts";
import { block, fold, prose } from "./html.ts";
import { SDK_PROGRAMS } from "./sdk-program.ts";

export type SampledOperation = {
  method: string;
  path: string;
  operation: Operation;
  document: ApiDocument;
  shell: Shell;
};

/** Ways to call an operation: its first example, the same for keys of other origins, and its other examples. */
export function samplesOf(place: SampledOperation): string {
  const { operation, document } = place;
  if (isForPages(operation)) return "";
  const examples = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {});
  const [first, ...others] = examples.length === 0 ? [{ summary: "", value: undefined }] : examples;
  const [main, ...origins] = operation.servers ?? document.servers;
  const server = main?.url ?? "";
  return [
    sample(place, { server, body: first?.value }),
    ...others.map(({ summary, value }) => fold(summary, sample(place, { server, body: value }))),
    ...origins.map(({ url, description }) =>
      fold(`With ${description.toLowerCase()}`, sample(place, { server: url, body: first?.value })),
    ),
  ].join("\n");
}

/** Takes a session and a body: it needs the `Origin` header of a page, so no command can show it. */
const isForPages = ({ security, requestBody }: Operation): boolean =>
  requestBody !== undefined && security.length > 0 && security.every((scheme) => "session" in scheme);

type Asked = { server: string; body: unknown };

function sample({ method, path, operation, document, shell }: SampledOperation, { server, body }: Asked): string {
  const parameters = (operation.parameters ?? []).map((given) => resolvePart("parameters", given, document));
  const curl = curlFor({ server, method, path, parameters, operation, body, shell });
  if (shell.sdks === "none") return block(curl);
  const id = parameters.find((parameter) => parameter.in === "path")?.example ?? null;
  const call = { operationId: operation.operationId, server, path, body, id };
  const programs = Object.entries(SDK_PROGRAMS).map(([name, write]) => [name, write(call, shell.credential)] as const);
  return tabs([["curl", curl], ...programs.filter((entry): entry is readonly [string, string] => entry[1] !== null)]);
}

/** Folded parts, of which the first is open; a script makes tabs of them. */
function tabs(programs: readonly (readonly [name: string, program: string])[]): string {
  const parts = programs.map(
    ([name, program], at) =>
      `<details data-tab="${escapeHtml(name)}"${at === 0 ? " open" : ""}><summary>${prose(name)}</summary>${block(program)}</details>`,
  );
  return `<div class="tabs">${parts.join("")}</div>`;
}
