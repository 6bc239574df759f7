import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FAULT_CODES } from "../../src/core/fault.ts";
import { readIdempotencyKey } from "../../src/http/read/idempotency-key.ts";
import { PARAMETERS } from "../../build/openapi/headers.ts";
import { createOpenApiDocument } from "../../build/openapi/openapi-document.ts";
import { follow, problemsOf } from "../contract/openapi/check-schema.ts";
import { type Description, headersOf, operationsOf } from "../contract/openapi/description.ts";

const URL = "https://gate.example/api";
const description = JSON.parse(JSON.stringify(createOpenApiDocument(URL))) as Description;
const operations = operationsOf(description);

/** Every object in the description with the names that lead to it. */
function* walk(value: unknown, path: readonly string[] = []): Generator<[path: readonly string[], value: object]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value];
  for (const [name, member] of Object.entries(value)) yield* walk(member, [...path, name]);
}
const everything = [...walk(description)];
const references = everything.flatMap(([, value]) => ("$ref" in value ? [String(value.$ref)] : []));
const bodies = operations.flatMap(({ operation }) =>
  [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) => Object.entries(part?.content ?? {})),
);

test("the description is OpenAPI 3.1 of interface version 1.0.0, with a server for each kind of key", () => {
  expect(description.openapi).toMatch(/^3\.1\.\d$/);
  expect(description.info.version).toBe("1.0.0");
  expect(description.servers.map(({ url, "x-key-mode": mode }) => [mode, url])).toEqual([
    ["credit", URL],
    ["token_budget", `${URL}/token`],
  ]);
});

test("without a base URL the servers are relative to where the description was found", () => {
  expect(createOpenApiDocument("").servers.map(({ url }) => url)).toEqual(["/", "/token"]);
});

test("the description in the repository is the one the program serves", () => {
  const kept = readFileSync(join(import.meta.dirname, "../../docs/reference/openapi.json"), "utf8");

  expect(JSON.parse(kept)).toEqual(createOpenApiDocument(""));
});

test("the paths are those of the interface, and ours are listed apart [spec 4.1]", () => {
  expect(Object.keys(description.paths)).toEqual([
    "/v1/models",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/v1/usage",
  ]);
  expect(Object.keys(description["x-additions"])).toEqual([
    "/v1/models/{id}",
    "/v1/embeddings",
    "/me/session",
    "/me",
    "/me/sign-in",
    "/me/sessions",
    "/me/sessions/{session}",
    "/me/ledger",
    "/me/ledger.csv",
    "/me/series",
    "/me/series.csv",
    "/me/requests",
    "/me/requests.csv",
    "/me/requests/{request}",
    "/me/errors",
    "/me/errors.csv",
    "/me/models",
    "/me/v1/chat/completions",
    "/me/v1/responses",
    "/me/v1/messages",
  ]);
});

test("what key holders read about their own key is at one address for keys of every kind", () => {
  const { "x-additions": additions } = createOpenApiDocument(URL);
  const mine = Object.entries(additions ?? {}).filter(([path]) => path.startsWith("/me"));
  const servers = mine.flatMap(([, methods]) => Object.values(methods).map((operation) => operation.servers));

  expect(servers).toHaveLength(20);
  for (const server of servers) expect(server).toEqual([{ url: URL, description: "Keys of every kind" }]);
});

test("every operation of the specification, and those beyond it, is there with its statuses and no other", () => {
  const statuses = operations.map(({ method, path, operation }) => [
    `${method.toUpperCase()} ${path}`,
    Object.keys(operation.responses).join(" "),
  ]);

  expect(Object.fromEntries(statuses)).toEqual({
    "GET /v1/models": "200 401 429 500 503",
    "GET /v1/models/{id}": "200 401 404 429 500 503",
    "POST /v1/chat/completions": "200 400 401 402 403 404 409 429 500 502 503",
    "POST /v1/responses": "200 400 401 402 403 404 409 429 500 502 503",
    "POST /v1/embeddings": "200 400 401 402 403 404 409 429 500 502 503",
    "POST /v1/messages": "200 400 401 402 403 404 409 429 500 502 503 504",
    "POST /v1/messages/count_tokens": "200 400 401 403 404 429 500 503",
    "GET /v1/usage": "200 401 429 500 503",
    "POST /me/session": "201 400 401 403 429 500 503",
    "DELETE /me/session": "204 400 500 503",
    "GET /me": "200 400 401 403 429 500 503",
    "GET /me/sign-in": "200 500",
    "GET /me/sessions": "200 400 401 403 429 500 503",
    "DELETE /me/sessions": "200 400 401 403 429 500 503",
    "DELETE /me/sessions/{session}": "200 400 401 403 429 500 503",
    "GET /me/ledger": "200 400 401 403 429 500 503",
    "GET /me/ledger.csv": "200 400 401 403 429 500 503",
    "GET /me/series": "200 400 401 403 429 500 503",
    "GET /me/series.csv": "200 400 401 403 429 500 503",
    "GET /me/requests": "200 400 401 403 429 500 503",
    "GET /me/requests.csv": "200 400 401 403 429 500 503",
    "GET /me/requests/{request}": "200 400 401 403 404 429 500 503",
    "GET /me/errors": "200 400 401 403 429 500 503",
    "GET /me/errors.csv": "200 400 401 403 429 500 503",
    "GET /me/models": "200 400 401 403 429 500 503",
    "POST /me/v1/chat/completions": "200 400 401 402 403 404 409 429 500 502 503",
    "POST /me/v1/responses": "200 400 401 402 403 404 409 429 500 502 503",
    "POST /me/v1/messages": "200 400 401 402 403 404 409 429 500 502 503 504",
  });
});

test("every operation takes the credentials the specification gives it", () => {
  const schemes = operations.map(({ method, path, operation }) => [
    path === "/me/session" ? `${method} ${path}` : path,
    operation.security.map((scheme) => Object.keys(scheme)[0] ?? "none").join(" "),
  ]);

  expect(Object.fromEntries(schemes)).toEqual({
    "/v1/models": "none bearer headerKey",
    "/v1/models/{id}": "none bearer headerKey",
    "/v1/chat/completions": "bearer",
    "/v1/responses": "bearer",
    "/v1/embeddings": "bearer",
    "/v1/messages": "bearer headerKey",
    "/v1/messages/count_tokens": "bearer headerKey",
    "/v1/usage": "bearer",
    "post /me/session": "",
    "delete /me/session": "session",
    "/me": "session bearer headerKey",
    "/me/sign-in": "",
    "/me/sessions": "session bearer headerKey",
    "/me/sessions/{session}": "session bearer headerKey",
    "/me/ledger": "session bearer headerKey",
    "/me/ledger.csv": "session bearer headerKey",
    "/me/series": "session bearer headerKey",
    "/me/series.csv": "session bearer headerKey",
    "/me/requests": "session bearer headerKey",
    "/me/requests.csv": "session bearer headerKey",
    "/me/requests/{request}": "session bearer headerKey",
    "/me/errors": "session bearer headerKey",
    "/me/errors.csv": "session bearer headerKey",
    "/me/models": "session bearer headerKey",
    "/me/v1/chat/completions": "session",
    "/me/v1/responses": "session",
    "/me/v1/messages": "session",
  });
});

test("an Idempotency-Key fits its pattern exactly when it is accepted [IDM-1]", () => {
  const schema = { ...PARAMETERS.idempotencyKey.schema } as { pattern?: string };
  const pattern = new RegExp(schema.pattern ?? "", "u");
  const codes = Array.from({ length: 300 }, (_, code) => `k${String.fromCodePoint(code)}1`);
  const accepted = (value: string): boolean => {
    try {
      return readIdempotencyKey(["idempotency-key", value]) === value;
    } catch {
      return false;
    }
  };

  for (const value of [...codes, "", "x", "x".repeat(255), "x".repeat(256), "a b"])
    expect([value, pattern.test(value)]).toEqual([value, accepted(value)]);
});

test("generations describe the headers of streams, and when to retry a provider that is not available", () => {
  for (const path of ["/v1/chat/completions", "/v1/responses", "/v1/messages"]) {
    const operation = operations.find((one) => one.path === path)?.operation;
    const names = (status: string) => Object.keys(operation?.responses[status]?.headers ?? {});

    expect(names("200"), path).toEqual(expect.arrayContaining(["cache-control", "x-accel-buffering"]));
    expect(names("502"), path).toContain("retry-after");
  }
});

test("Idempotency-Key and compat-version are optional headers where the specification has them", () => {
  const parameters = operations.map(({ path, operation }) => [
    path,
    (operation.parameters ?? []).map(({ name, required }) => `${name}${required ? "!" : ""}`).join(" "),
  ]);

  expect(Object.fromEntries(parameters)).toEqual({
    "/v1/models": "",
    "/v1/models/{id}": "id!",
    "/v1/chat/completions": "Idempotency-Key",
    "/v1/responses": "Idempotency-Key",
    "/v1/embeddings": "Idempotency-Key",
    "/v1/messages": "compat-version Idempotency-Key",
    "/v1/messages/count_tokens": "compat-version",
    "/v1/usage": "",
    "/me/session": "",
    "/me": "",
    "/me/sign-in": "",
    "/me/sessions": "",
    "/me/sessions/{session}": "session!",
    "/me/ledger": "limit after",
    "/me/ledger.csv": "limit after",
    "/me/series": "from to step by",
    "/me/series.csv": "from to step by",
    "/me/requests": "limit after model code status outcome from to",
    "/me/requests.csv": "limit after model code status outcome from to",
    "/me/requests/{request}": "request!",
    "/me/errors": "days",
    "/me/errors.csv": "days",
    "/me/models": "",
    "/me/v1/chat/completions": "Idempotency-Key",
    "/me/v1/responses": "Idempotency-Key",
    "/me/v1/messages": "compat-version Idempotency-Key",
  });
});

test("operation ids are unique, and every reference leads somewhere", () => {
  const ids = operations.map(({ operation }) => operation.operationId);

  expect(new Set(ids).size).toBe(ids.length);
  expect(references.length).toBeGreaterThan(50);
  for (const reference of references) expect(follow(reference, description)).toBeTypeOf("object");
});

test("every named schema is used", () => {
  const unused = Object.keys(description.components.schemas).filter(
    (name) => !references.includes(`#/components/schemas/${name}`),
  );

  expect(unused).toEqual([]);
});

test("every example fits its schema", () => {
  const examples = bodies.flatMap(([, { schema, examples = {} }]) =>
    Object.entries(examples).map(([name, { value }]) => ({ name, problems: problemsOf(value, schema, description) })),
  );

  expect(examples.length).toBeGreaterThan(60);
  expect(examples.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

test("every event of the example of a chat stream fits the schema of its events", () => {
  const { examples, "x-event-schema": schema } =
    bodies.find(([, body]) => "x-event-schema" in body)?.[1] ?? expect.unreachable();
  const lines = String(Object.values(examples ?? {})[0]?.value).split("\n\n");
  const events = lines.filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)) as unknown);

  expect(events).toHaveLength(3);
  for (const event of events) expect(problemsOf(event, schema ?? {}, description)).toEqual([]);
});

test("schemas are closed exactly where no other fields are allowed", () => {
  const closed = everything
    .filter(([, value]) => "additionalProperties" in value && value.additionalProperties === false)
    .map(([path]) => path.join("."));

  expect(closed).toEqual(
    [
      "ModelList",
      "EmbeddingList",
      "EmbeddingUsage",
      "TokenCount",
      "UsageSummary",
      "UsageKey",
      "CreditUsage",
      "TokenUsage",
      "RequestUsage",
      "SignIn",
    ].map((name) => `components.schemas.${name}`),
  );
});

test("every field of every named schema is explained", () => {
  const silent = Object.entries(description.components.schemas).flatMap(([name, schema]) =>
    Object.entries((schema as { properties: Record<string, { description?: string }> }).properties)
      .filter(([, property]) => !property.description)
      .map(([field]) => `${name}.${field}`),
  );

  expect(silent).toEqual([]);
});

test("every response carries the ids, and 429 and 503 always say how long to wait", () => {
  for (const { path, operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const headers = headersOf(response, description);
      expect(headers, `${path} ${status}`).toMatchObject({
        "x-request-id": { required: true },
        "request-id": { required: true },
        ...(status === "429" || status === "503" ? { "retry-after": { required: true } } : {}),
      });
    }
  }
});

test("every code is listed with the status of both formats", () => {
  expect(description["x-error-codes"].map(({ code }) => code)).toEqual([...FAULT_CODES]);
});

test("the introduction explains retries and what cached token counts can reveal [RTY-6] [UPS-10]", () => {
  const prose = description.info.description.replaceAll(/\s+/g, " ");

  expect(prose).toMatch(
    /After a 429, wait for the number of seconds in `Retry-After`, then retry one request at a time/,
  );
  expect(prose).toMatch(/After a 5xx, retry with capped exponential backoff and jitter/);
  expect(prose).toMatch(/cached tokens .* can hint that another customer sent the same beginning of a prompt/);
});

test("the version is named as the interface's, apart from the version of a release", () => {
  expect(description.info.description).toContain(`version ${description.info.version} of the interface`);
  expect(description.info.description).toMatch(/Releases of Tollgate have their own version numbers/);
});

test("every description and summary is a sentence or two of plain words", () => {
  const texts = everything.flatMap(([path, value]) =>
    Object.entries(value).flatMap(([name, text]) =>
      (name === "description" || name === "summary") && typeof text === "string"
        ? text.split(/\n\n|\n- |(?<=[.:]) /).map((sentence) => ({ path: path.join("."), sentence }))
        : [],
    ),
  );
  const words = (sentence: string): number => sentence.split(/\s+/).length;
  const odd = /\b(hangs? up|whoever|nobody|somebody|caller|the books|the house|refus\w+|is told|set aside)\b/i;

  expect(texts.length).toBeGreaterThan(300);
  expect(texts.filter(({ sentence }) => words(sentence) > 32 || odd.test(sentence))).toEqual([]);
});

describe("the check of schemas sees", () => {
  const list = { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] };

  test.each([
    ["a missing field", {}, list],
    ["a wrong type", { a: "1" }, list],
    ["a number out of bounds", { a: 0 }, list],
    ["a field too many", { a: 1, b: 1 }, { ...list, additionalProperties: false }],
    ["a value that fits no branch", 1, { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["a wrong item", ["a", 1], { type: "array", items: { type: "string" } }],
    ["a short text", "", { type: "string", minLength: 1 }],
    ["a wrong constant", "b", { const: "a" }],
    ["a value off the list", "b", { enum: ["a"] }],
    ["a text of another form", "b", { pattern: "^a$" }],
    ["a text that is no date", "2026-13", { format: "date" }],
    ["a number at an open bound", 0, { exclusiveMinimum: 0 }],
    ["a wrong value of a map", { b: 1 }, { type: "object", additionalProperties: { type: "string" } }],
    ["a wrong value behind a reference", [], { $ref: "#/components/schemas/Model" }],
  ])("%s", (_name, value, schema) => {
    expect(problemsOf(value, schema, description)).not.toEqual([]);
  });

  test("a word or a format it does not know", () => {
    expect(() => problemsOf("a", { format: "ipv4" }, description)).toThrow("ipv4");
    expect(() => problemsOf({}, { patternProperties: {} }, description)).toThrow("patternProperties");
  });
});
