import { describeAdmin } from "../../build/openapi/admin/describe-admin.ts";
import { type AdminDocument, resolvePart } from "../../build/openapi/document.ts";
import { problemsOf } from "../contract/openapi/check-schema.ts";

/** Answers may get more fields one day; those of today are all described, so here nothing else is allowed. */
const described = closed(JSON.parse(JSON.stringify(describeAdmin()))) as AdminDocument;

type Reply = { statusCode: number; headers: Record<string, unknown>; body: string };

/** What is wrong with an answer of the admin API by its description; nothing is known of paths that it does not have. */
export function undescribed(method: string, url: string, reply: Reply, document = described): string[] {
  const path = url.split("?")[0] ?? "";
  const operation = Object.entries(document.paths)
    .toSorted(([one], [other]) => one.split("{").length - other.split("{").length)
    .find(([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))?.[1][
    method.toLowerCase() as "get"
  ];
  if (operation === undefined) return [];
  const given = operation.responses[reply.statusCode];
  const where = `${operation.operationId} ${reply.statusCode}`;
  if (given === undefined) return [`${where} is not described`];
  const { content, headers } = resolvePart("responses", given, document);
  const media = String(reply.headers["content-type"]).split(";")[0] ?? "";
  const schema = content[media]?.schema;
  if (schema === undefined) return [`${where} is ${media}, which is not described`];
  const missing = Object.entries(headers)
    .filter(([name, header]) => resolvePart("headers", header, document).required && !(name in reply.headers))
    .map(([name]) => `${where} lacks the header ${name}`);
  const body: unknown = media === "application/json" ? JSON.parse(reply.body) : reply.body;
  return [...missing, ...problemsOf(body, schema, document, where)];
}

/** The same with every object shut to fields that are not described. */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isOpen = members["type"] === "object" && "properties" in members;
  return isOpen ? { ...members, additionalProperties: false } : members;
}
