import {
  type ApiDocument,
  type Header,
  type Operation,
  type Reference,
  resolvePart,
  type Response,
} from "../document.ts";
import { curlFor, type Shell } from "./curl.ts";
import { fieldTable, type Schemas, typeOf } from "./field-table.ts";
import { block, code, fold, markdown, prose, table } from "./html.ts";
import { writeJson } from "./write-json.ts";

type Place = { method: string; path: string; operation: Operation; document: ApiDocument; shell: Shell };

/** Everything about one operation. */
export function operationSection(place: Place): string {
  const { method, path, operation, document } = place;
  const { schemas } = document.components;
  const body = operation.requestBody?.content["application/json"];
  return [
    `<section id="${operation.operationId}">`,
    `<h3><span class="method ${method}">${method.toUpperCase()}</span> ${code(path)}</h3>`,
    `<p class="summary">${prose(operation.summary)}</p>`,
    operation.description === undefined ? "" : markdown(operation.description),
    `<p>${credentialWords(operation)}</p>`,
    curls(place),
    parameterTable(place),
    body ? `<h4>Request</h4>${fieldTable(body.schema, { schemas, side: "request" })}` : "",
    answerPart(answersOf(place), schemas),
    `<h4>Statuses</h4>${statusTable(operation, document)}`,
    "</section>",
  ].join("\n");
}

/** The first example for every server; the others for the first one. */
function curls({ method, path, operation, document, shell }: Place): string {
  const parameters = parametersOf(operation, document);
  const examples = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {});
  const [first, ...others] = examples.length === 0 ? [{ summary: "", value: undefined }] : examples;
  const call = (server: string, body: unknown): string =>
    block(curlFor({ server, method, path, parameters, operation, body, shell }));
  const isAlone = document.servers.length === 1;
  const perServer = document.servers.map(
    ({ url, description }) =>
      `${isAlone ? "" : `<p class="label">${prose(description)}</p>`}${call(url, first?.value)}`,
  );
  const [main] = document.servers;
  return [...perServer, ...others.map(({ summary, value }) => fold(summary, call(main?.url ?? "", value)))].join("\n");
}

function credentialWords({ security }: Operation): string {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  if (names.length === 0) return "<strong>Credential</strong>: none.";
  const ways = names.map((name) =>
    name === "bearer" ? "<code>Authorization: Bearer</code>" : "<code>x-api-key</code>",
  );
  const optional = security.some((scheme) => Object.keys(scheme).length === 0);
  return `<strong>Credential</strong>: ${ways.join(" or ")}${optional ? ", or none" : ""}.`;
}

const parametersOf = ({ parameters = [] }: Operation, document: ApiDocument) =>
  parameters.map((parameter) => resolvePart("parameters", parameter, document));

function parameterTable({ operation, document }: Place): string {
  const parameters = parametersOf(operation, document);
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, schema, description }) => [
    code(name),
    place,
    typeOf(schema, document.components.schemas),
    prose(description),
  ]);
  return `<h4>Parameters</h4>${table(["Name", "In", "Type", "Meaning"], rows)}`;
}

/** What is no refusal: those of one schema together, whatever their status. */
function answersOf({ operation }: Place): { statuses: string[]; content: Response["content"] }[] {
  const own = Object.entries(operation.responses).flatMap(([status, response]) =>
    "$ref" in response || isRefusal(response) ? [] : [{ status, content: response.content }],
  );
  const bySchema = Map.groupBy(own, ({ content }) => JSON.stringify(content));
  return [...bySchema.values()].map((alike) => ({
    statuses: alike.map(({ status }) => status),
    content: alike[0]?.content ?? {},
  }));
}

const isRefusal = ({ content }: Response): boolean =>
  content["application/json"]?.schema.$ref?.endsWith("Error") ?? false;

function answerPart(answers: ReturnType<typeof answersOf>, schemas: Schemas): string {
  const isAlone = answers.length === 1;
  return answers
    .map(({ statuses, content }) => {
      const title = isAlone ? "Answer" : `Answer ${statuses.join(" and ")}`;
      return [`<h4>${title}</h4>`, ...contentParts(content, schemas)].join("\n");
    })
    .join("\n");
}

function contentParts(content: Response["content"], schemas: Schemas): string[] {
  const { "application/json": json, "text/plain": text, "text/event-stream": stream } = content;
  const parts: string[] = [];
  if (json) parts.push(fieldTable(json.schema, { schemas, side: "answer" }));
  if (text) parts.push(`<p>Plain text. ${prose(text.schema.description ?? "")}</p>`);
  for (const { value } of Object.values(json?.examples ?? {})) parts.push(fold("An answer", block(writeJson(value))));
  for (const { value } of Object.values(text?.examples ?? {})) parts.push(fold("An answer", block(String(value))));
  if (stream) {
    parts.push(`<h4>Stream</h4>${markdown(stream.schema.description ?? "")}`);
    if (stream["x-event-schema"])
      parts.push(fold("Fields of an event", fieldTable(stream["x-event-schema"], { schemas, side: "answer" })));
    for (const { summary, value } of Object.values(stream.examples ?? {}))
      parts.push(fold(summary, block(String(value))));
  }
  return parts;
}

function statusTable({ responses }: Operation, document: ApiDocument): string {
  const rows = Object.entries(responses).map(([status, given]) => {
    const response = resolvePart("responses", given, document);
    const headers = Number(status) < 300 ? headerList(response, document) : headerNames(response);
    return [`<strong>${status}</strong>`, `${markdown(response.description)}${headers}`];
  });
  return table(["Status", "When"], rows);
}

/** What the headers of refusals mean is said once, in the introduction. */
function headerNames(response: Response): string {
  const names = ownHeaders(response).map(([name, { required }]) => `${required ? "" : "sometimes "}${code(name)}`);
  return names.length === 0 ? "" : `<p class="headers">With ${names.join(" and ")}.</p>`;
}

function headerList(response: Response, document: ApiDocument): string {
  const items = ownHeaders(response).map(([name, { description, required, schema }]) => {
    const type = typeOf(schema, document.components.schemas);
    return `<li>${code(name)} (${type}${required ? "" : ", not always"}): ${prose(description)}</li>`;
  });
  return items.length === 0 ? "" : `<ul class="headers">${items.join("")}</ul>`;
}

/** Those beyond the ids, which every response carries. */
const ownHeaders = ({ headers }: Response): [string, Header][] =>
  Object.entries(headers).filter((entry): entry is [string, Header] => !isReference(entry[1]));

const isReference = (header: Header | Reference): header is Reference => "$ref" in header;
