import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeAdmin } from "../../build/openapi/admin/describe-admin.ts";
import { ADMIN_ROUTES } from "../../src/admin/routes.ts";
import { NO_EXAMPLE } from "../../build/openapi/admin/example-of.ts";
import { FIELD_WORDS } from "../../build/openapi/admin/field-words.ts";
import { SCHEMA_WORDS } from "../../build/openapi/admin/schema-words.ts";
import { follow, problemsOf } from "../contract/openapi/check-schema.ts";
import { closed, undescribed } from "../support/admin-description.ts";

const document = JSON.parse(JSON.stringify(describeAdmin())) as ReturnType<typeof describeAdmin>;
const { schemas, parameters = {}, responses = {} } = document.components;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

/** Every object in the description with the names that lead to it. */
function* walk(value: unknown, path: readonly string[] = []): Generator<[path: readonly string[], value: object]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value];
  for (const [name, member] of Object.entries(value)) yield* walk(member, [...path, name]);
}
const everything = [...walk(document)];
const references = everything.flatMap(([, value]) => ("$ref" in value ? [String(value.$ref)] : []));

test("the description of the admin API in the repository is the one the program serves", () => {
  const kept = readFileSync(join(import.meta.dirname, "../../docs/reference/admin-openapi.json"), "utf8");

  expect(JSON.parse(kept)).toEqual(document);
});

test("every route is there as an operation with its summary and a tag that is explained", () => {
  expect(operations.map(({ operation }) => operation.operationId).toSorted()).toEqual(
    ADMIN_ROUTES.map(({ id }) => id).toSorted(),
  );
  for (const { operation } of operations) {
    expect(operation.summary, operation.operationId).toMatch(/^[A-Z].*[^.]$/);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
  }
});

test("a credential is asked for by all but the probes and the way in", () => {
  const open = operations.filter(({ operation }) => !operation.security.some((scheme) => "bearer" in scheme));

  expect(open.map(({ path }) => path)).toEqual([
    "/livez",
    "/readyz",
    "/healthz",
    "/admin/v1/sign-in",
    "/admin/v1/sign-in/oidc",
    "/admin/v1/sign-in/oidc/callback",
    "/admin/v1/session",
    "/admin/v1/setup",
  ]);
});

test("every parameter in a path is described, and no other", () => {
  for (const { path, operation } of operations) {
    const described = (operation.parameters ?? [])
      .map(
        (given) => ("$ref" in given ? (follow(given.$ref, document) as never) : given) as { in: string; name: string },
      )
      .filter((parameter) => parameter.in === "path");
    expect(described.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
  }
});

test("every operation says which refusals it has, each in words that stand there once", () => {
  expect(Object.keys(responses)).toEqual(document["x-error-codes"].map(({ code }) => code));
  for (const { path, operation } of operations) {
    expect(operation.responses, path).toHaveProperty("500");
    expect(operation.responses, path).toHaveProperty("503");
    if (operation.security.some((scheme) => "bearer" in scheme)) expect(operation.responses).toHaveProperty("401");
  }
});

test("every reference leads somewhere, and everything that is named is used", () => {
  for (const reference of references) expect(follow(reference, document)).toBeTypeOf("object");
  const named = Object.entries({ schemas, parameters, responses }).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );

  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !references.includes(name))).toEqual([]);
});

test("every schema, field and parameter is explained", () => {
  const silent = everything.flatMap(([path, value]) => {
    if (path.at(-2) === "schemas" || path.at(-2) === "parameters")
      return "$ref" in value || ("description" in value && value.description !== "") ? [] : [path.join(".")];
    if (!("properties" in value)) return [];
    return Object.entries(value.properties as Record<string, { description?: string }>)
      .filter(([, property]) => !property.description)
      .map(([field]) => `${path.slice(2).join(".")}.${field}`);
  });

  expect(silent).toEqual([]);
});

test("nothing is explained that is not there", () => {
  const fields = new Set(
    everything.flatMap(([, value]) => ("properties" in value ? Object.keys(value.properties as object) : [])),
  );
  const missing = Object.keys(FIELD_WORDS).filter((name) => {
    const [schema, field] = name.includes(".") ? name.split(".") : [null, name];
    return !fields.has(field ?? "") || (schema !== null && !(schema in schemas));
  });

  expect(missing).toEqual([]);
  expect(Object.keys(SCHEMA_WORDS).filter((name) => !(name in schemas))).toEqual([]);
});

test("an object with several fields stands in the description once, and is referred to elsewhere", () => {
  const objects = everything.filter(
    ([, value]) => "properties" in value && Object.keys(value.properties as object).length > 1,
  );
  const alike = Map.groupBy(objects, ([, value]) => JSON.stringify({ ...value, description: null }));
  const twice = [...alike.values()].filter(({ length }) => length > 1);

  expect(twice.map((places) => places.map(([path]) => path.join(".")))).toEqual([]);
});

test("every field of every answer has an example", () => {
  const bare = everything.flatMap(([path, value]) =>
    path.at(-1) === "answer" && JSON.stringify(value).includes(`"${NO_EXAMPLE}"`) ? [path.slice(1, 3).join(" ")] : [],
  );

  expect(bare).toEqual([]);
});

test("every example fits its schema", () => {
  const bodies = everything.filter(([path, value]) => path.at(-2) === "content" && "schema" in value);
  const examples = bodies.flatMap(([path, value]) => {
    const { schema, examples = {} } = value as { schema: object; examples?: Record<string, { value: unknown }> };
    return Object.values(examples).map((example) => ({
      path: path.join(" "),
      problems: problemsOf(example.value, schema, document),
    }));
  });

  expect(examples.length).toBeGreaterThan(60);
  expect(examples.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

test("requests take no field that is not described; answers may get more fields one day", () => {
  const isClosed = (name: string): boolean =>
    (schemas[name] as { additionalProperties?: unknown }).additionalProperties === false;
  const requests = operations.flatMap(({ operation }) => {
    const schema = operation.requestBody?.content["application/json"]?.schema.$ref;
    return schema === undefined ? [] : [schema.replace("#/components/schemas/", "")];
  });

  expect(requests.filter((name) => !isClosed(name))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => name.endsWith("Response") && isClosed(name))).toEqual([]);
});

describe("an answer in a test is held against the description, which sees", () => {
  const strict = closed(document) as typeof document;
  const reply = { statusCode: 200, headers: { "content-type": "application/json", "x-request-id": "req_1" } };
  const problems = (over: { statusCode?: number; headers?: Record<string, string>; body?: string }) =>
    undescribed("GET", "/livez", { ...reply, body: '{"status":"ok"}', ...over }, strict);

  test("nothing wrong in an answer as it should be", () => {
    expect(problems({})).toEqual([]);
  });

  test.each([
    ["a missing field", { body: "{}" }],
    ["a wrong value", { body: '{"status":"well"}' }],
    ["a field that is not described", { body: '{"status":"ok","since":1}' }],
    ["a status that is not described", { statusCode: 404 }],
    ["a type that is not described", { headers: { ...reply.headers, "content-type": "text/html" } }],
    ["a missing header", { headers: { "content-type": "application/json" } }],
  ])("%s", (_what, over) => {
    expect(problems(over)).not.toEqual([]);
  });
});
