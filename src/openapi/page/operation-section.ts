import type { Header, OpenApiDocument, Operation, Reference, Response } from "../document.ts";
import { curlFor } from "./curl.ts";
import { fieldTable, type Schemas, typeOf } from "./field-table.ts";
import { block, code, fold, markdown, prose, table } from "./html.ts";
import { writeJson } from "./write-json.ts";

type Place = { method: string; path: string; operation: Operation; document: OpenApiDocument };

/** Everything about one operation. */
export function operationSection(place: Place): string {
  const { method, path, operation, document } = place;
  const { schemas } = document.components;
  const body = operation.requestBody?.content["application/json"];
  return [
    `<section id="${operation.operationId}">`,
    `<h3><span class="method ${method}">${method.toUpperCase()}</span> ${code(path)}</h3>`,
    `<p class="summary">${prose(operation.summary)}</p>`,
    markdown(operation.description),
    `<p>${credentialWords(operation)}</p>`,
    curls(place),
    parameterTable(operation, schemas),
    body ? `<h4>Request</h4>${fieldTable(body.schema, { schemas, side: "request" })}` : "",
    answerPart(operation, schemas),
    `<h4>Statuses</h4>${statusTable(operation, document)}`,
    "</section>",
  ].join("\n");
}

/** The first example for both kinds of keys; the others for the first kind. */
function curls({ path, operation, document }: Place): string {
  const examples = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {});
  const [first, ...others] = examples.length === 0 ? [{ summary: "", value: undefined }] : examples;
  const call = (server: string, body: unknown): string => block(curlFor({ server, path, operation, body }));
  const perServer = document.servers.map(
    ({ url, description }) => `<p class="label">${prose(description)}</p>${call(url, first?.value)}`,
  );
  const [main] = document.servers;
  return [...perServer, ...others.map(({ summary, value }) => fold(summary, call(main?.url ?? "", value)))].join("\n");
}

function credentialWords({ security }: Operation): string {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  const ways = names.map((name) =>
    name === "bearer" ? "<code>Authorization: Bearer</code>" : "<code>x-api-key</code>",
  );
  const optional = security.some((scheme) => Object.keys(scheme).length === 0);
  return `<strong>Key</strong>: ${ways.join(" or ")}${optional ? ", or none" : ""}.`;
}

function parameterTable({ parameters = [] }: Operation, schemas: Schemas): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, schema, description }) => [
    code(name),
    place,
    typeOf(schema, schemas),
    prose(description),
  ]);
  return `<h4>Parameters</h4>${table(["Name", "In", "Type", "Meaning"], rows)}`;
}

function answerPart({ responses }: Operation, schemas: Schemas): string {
  const content = responses["200"]?.content ?? {};
  const json = content["application/json"];
  const stream = content["text/event-stream"];
  const parts = [`<h4>Answer</h4>${json ? fieldTable(json.schema, { schemas, side: "answer" }) : ""}`];
  for (const { value } of Object.values(json?.examples ?? {})) parts.push(fold("An answer", block(writeJson(value))));
  if (stream) {
    parts.push(`<h4>Stream</h4>${markdown(stream.schema.description ?? "")}`);
    if (stream["x-event-schema"])
      parts.push(fold("Fields of an event", fieldTable(stream["x-event-schema"], { schemas, side: "answer" })));
    for (const { summary, value } of Object.values(stream.examples ?? {}))
      parts.push(fold(summary, block(String(value))));
  }
  return parts.join("\n");
}

function statusTable({ responses }: Operation, document: OpenApiDocument): string {
  const rows = Object.entries(responses).map(([status, response]) => [
    `<strong>${status}</strong>`,
    `${markdown(response.description)}${status === "200" ? headerList(response, document) : headerNames(response)}`,
  ]);
  return table(["Status", "When"], rows);
}

/** What the headers of refusals mean is said once, in the introduction. */
function headerNames(response: Response): string {
  const names = ownHeaders(response).map(([name, { required }]) => `${required ? "" : "sometimes "}${code(name)}`);
  return names.length === 0 ? "" : `<p class="headers">With ${names.join(" and ")}.</p>`;
}

function headerList(response: Response, document: OpenApiDocument): string {
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
