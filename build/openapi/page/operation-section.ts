import {
  type ApiDocument,
  type Header,
  type Operation,
  type Reference,
  resolvePart,
  type Response,
} from "../document.ts";
import { fieldTable, type Schemas, typeOf } from "./field-table.ts";
import { block, code, fold, markdown, prose, table } from "./html.ts";
import { type SampledOperation, samplesOf } from "./samples.ts";
import { writeJson } from "./write-value.ts";

/** Everything about one operation: what it is, how it is called, and its details. */
export function operationSection(place: SampledOperation): string {
  const { method, path, operation, document } = place;
  const { schemas } = document.components;
  const body = operation.requestBody?.content["application/json"];
  const answers = answersOf(operation);
  return [
    `<section id="${operation.operationId}">`,
    '<div class="head">',
    `<h3>${prose(operation.summary)}</h3>`,
    `<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> ${code(path)}</p>`,
    operation.description === undefined ? "" : markdown(operation.description),
    `<p>${credentialWords(operation)}</p>`,
    "</div>",
    `<div class="samples">${samplesOf(place)}${answers.map(exampleParts).join("")}</div>`,
    '<div class="rest">',
    parameterTable(place),
    body ? `<h4>Request body</h4>${fieldTable(body.schema, { schemas, side: "request" })}` : "",
    answerPart(answers, schemas),
    `<h4>Statuses</h4>${statusTable(operation, document)}`,
    "</div>",
    "</section>",
  ].join("\n");
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  bearer: "<code>Authorization: Bearer</code>",
  session: "the session cookie",
};

function credentialWords({ security }: Operation): string {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  if (names.length === 0) return "<strong>Authentication</strong>: none.";
  const ways = names.map((name) => CREDENTIALS[name] ?? "<code>x-api-key</code>");
  const optional = security.some((scheme) => Object.keys(scheme).length === 0);
  return `<strong>Authentication</strong>: ${ways.join(" or ")}${optional ? ", or none" : ""}.`;
}

function parameterTable({ operation, document }: SampledOperation): string {
  const parameters = (operation.parameters ?? []).map((given) => resolvePart("parameters", given, document));
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, schema, description }) => [
    code(name),
    place,
    typeOf(schema, document.components.schemas),
    prose(description),
  ]);
  return `<h4>Parameters</h4>${table(["Name", "In", "Type", "Meaning"], rows)}`;
}

type Answer = { statuses: string[]; content: Response["content"] };

/** Responses that are not errors: those of one schema together, whatever their status. */
function answersOf(operation: Operation): Answer[] {
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

function answerPart(answers: readonly Answer[], schemas: Schemas): string {
  const isAlone = answers.length === 1;
  return answers
    .map(({ statuses, content }) => {
      const title = isAlone ? "Response body" : `Response body ${statuses.join(" and ")}`;
      return [`<h4>${title}</h4>`, ...contentParts(content, schemas)].join("\n");
    })
    .join("\n");
}

function contentParts(content: Response["content"], schemas: Schemas): string[] {
  const { "application/json": json, "text/plain": text, "text/event-stream": stream } = content;
  const parts: string[] = [];
  if (json) parts.push(fieldTable(json.schema, { schemas, side: "answer" }));
  if (text) parts.push(`<p>Plain text. ${prose(text.schema.description ?? "")}</p>`);
  if (stream) {
    parts.push(`<h4>Stream</h4>${markdown(stream.schema.description ?? "")}`);
    if (stream["x-event-schema"])
      parts.push(fold("Fields of an event", fieldTable(stream["x-event-schema"], { schemas, side: "answer" })));
  }
  return parts;
}

/** Examples of a response, which stand beside those of the request. */
function exampleParts({ statuses, content }: Answer): string {
  const { "application/json": json, "text/plain": text, "text/event-stream": stream } = content;
  const parts = [
    ...Object.values(json?.examples ?? {}).map(({ value }) => block(writeJson(value))),
    ...Object.values(text?.examples ?? {}).map(({ value }) => block(String(value))),
  ].map((example) => `<p class="label">Response ${statuses.join(", ")}</p>${example}`);
  const streams = Object.values(stream?.examples ?? {}).map(({ summary, value }) =>
    fold(summary, block(String(value))),
  );
  return [...parts, ...streams].join("");
}

function statusTable({ responses }: Operation, document: ApiDocument): string {
  const rows = Object.entries(responses).map(([status, given]) => {
    const response = resolvePart("responses", given, document);
    const headers = Number(status) < 300 ? headerList(response, document) : headerNames(response);
    return [`<strong>${status}</strong>`, `${markdown(response.description)}${headers}`];
  });
  return table(["Status", "When"], rows);
}

/** The introduction explains the headers of errors once. */
function headerNames(response: Response): string {
  const names = ownHeaders(response).map(([name, { required }]) => `${code(name)}${required ? "" : " (not always)"}`);
  return names.length === 0 ? "" : `<p class="headers">Headers: ${names.join(", ")}.</p>`;
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
