import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase, OPERATOR_TOKEN } from "../../tests/support/admin-app.ts";
import type { Database } from "../db/database.ts";
import { describeAdmin } from "../../build/openapi/admin/describe-admin.ts";

const CANARY = "sk-canary-Zq7Lm2Xw9Rt4";

type Method = Parameters<AdminApp["ask"]>[0];
const document = JSON.parse(JSON.stringify(describeAdmin())) as ReturnType<typeof describeAdmin>;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { operationId }]) => operationId !== "watchLive")
    .map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase() as Method,
      path: path.replaceAll(/\{\w+\}/g, CANARY),
      example: operation.requestBody?.content["application/json"]?.examples?.["request"]?.value ?? null,
    })),
);

let database: Database;
let admin: AdminApp;
beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database);
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

/** The same with one more field, once for each object in it. */
function withFields(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((one, at) => withFields(one).map((other) => value.with(at, other) as unknown));
  if (typeof value !== "object" || value === null) return [];
  const object = value as Record<string, unknown>;
  const inner = Object.entries(object).flatMap(([name, member]) =>
    withFields(member).map((other) => ({ ...object, [name]: other })),
  );
  return [{ [CANARY]: 1, ...object }, { ...object, [CANARY]: { [CANARY]: CANARY } }, ...inner];
}

const send = (method: Method, url: string, { body, type = "application/json" }: { body?: string; type?: string }) =>
  admin.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(body === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { payload: body }),
  });

test("no error repeats what was sent: not the name of a field, a parameter or a type, and not a body that is no JSON", async () => {
  const cases = operations.flatMap(({ id, method, path, example }) => [
    { id, method, url: `${path}?${CANARY}=1`, options: {} },
    ...(method === "GET"
      ? []
      : [
          ...withFields(example ?? {}).map((body) => ({
            id,
            method,
            url: path,
            options: { body: JSON.stringify(body) },
          })),
          { id, method, url: path, options: { body: `{"a": ${CANARY}` } },
          { id, method, url: path, options: { body: `{"__proto__": "${CANARY}"}` } },
          { id, method, url: path, options: { body: "{}", type: `text/${CANARY}` } },
        ]),
  ]);
  const repeated: string[] = [];
  for (const { id, method, url, options } of cases) {
    const reply = await send(method, url, options);
    if (reply.body.includes(CANARY)) repeated.push(`${id} ${reply.statusCode} ${reply.body.slice(0, 150)}`);
  }

  expect(cases.length).toBeGreaterThan(200);
  expect(repeated).toEqual([]);
});

test("an unknown field is told by its place, with what the object takes and the name that was meant", async () => {
  const { error } = (
    await send("POST", "/admin/v1/keys", { body: JSON.stringify({ mode: "credit", labell: "x" }) })
  ).json<{ error: { message: string; param: string } }>();

  expect(error.message).toMatch(/Field 2 is unknown\. Did you mean `label`\? The fields are mode, /);
});
