import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALSO_CHANGED } from "./also-changed.ts";

type Paths = Record<string, Record<string, { tags: string[] }>>;
const documents = ["admin-openapi.json", "openapi.json"].map(
  (name) =>
    JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs/reference", name), "utf8")) as {
      paths: Paths;
      "x-additions"?: Paths;
    },
);
const operations = documents.flatMap(({ paths, "x-additions": additions }) =>
  Object.entries({ ...paths, ...additions }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags }]) => ({ method, path, resource: tags[0] ?? "" })),
  ),
);
const isChange = ({ method, path }: { method: string; path: string }): boolean =>
  method !== "get" && /^\/(admin|me\/session)/.test(path);

test("every resource that an operation changes says what is changed with it", () => {
  const changed = operations.filter(isChange).map(({ resource }) => resource);

  expect(Object.keys(ALSO_CHANGED).toSorted()).toEqual([...new Set(changed)].toSorted());
});

test("what is changed with a resource is another one, and can be read", () => {
  const read = new Set(operations.filter(({ method }) => method === "get").map(({ resource }) => resource));

  for (const [resource, others] of Object.entries(ALSO_CHANGED)) {
    expect(others).not.toContain(resource);
    expect(others.filter((other) => !read.has(other))).toEqual([]);
  }
});

const CHANGES_KEY = ["/keys", "/keys/{key}"];
const CHANGES_ACCOUNT = ["/accounts", "/accounts/{account}"];
/** On keys and accounts, in what pays for them, and in what is said of it. */
const CHANGES_MONEY = [
  ...CHANGES_KEY,
  ...CHANGES_ACCOUNT,
  "/keys/{key}/funds",
  "/keys/{key}/journal",
  "/accounts/{account}/journal",
  "/accounts/{account}/statements/{month}",
  "/ledger/outstanding",
  "/notices",
  "/notices/thresholds",
];
const CHANGES_LIMIT = [...CHANGES_KEY, ...CHANGES_ACCOUNT, "/keys/{key}/funds", "/notices/thresholds"];
/** A client session is a key. */
const CHANGES_CLIENTS = ["/client-sessions", "/session/clients", "/keys/{key}"];
const CHANGES_STATUS = [...CHANGES_KEY, ...CHANGES_ACCOUNT];
/** Who pays for a key, and where its use is counted. */
const CHANGES_HOME = [...CHANGES_MONEY, "/usage", "/requests", "/requests/{request}", "/series"];
/** Where the path of an account is shown. */
const CHANGES_PATH = [
  ...CHANGES_HOME,
  "/people",
  "/people/{person}",
  "/client-sessions",
  "/session",
  "/session/clients",
  "/tokens",
];
const CHANGES_PERSON = ["/people", "/people/{person}", "/session"];
const CHANGES_SESSIONS = ["/people/{person}/sessions", "/sessions"];
const CHANGES_ROUTES = ["/providers", "/providers/{provider}", "/models", "/models/{model}", "/health/routes"];
const CHANGES_CATALOGUE = [...CHANGES_ROUTES, "/models/{model}/prices"];

/** Reads that answer something else after a change. `audit`: after each. */
const SHOWN: Record<string, readonly string[]> = {
  "POST /session": ["/session", "/sessions", "/people"],
  "DELETE /session": ["/session", "/sessions"],
  "POST /setup": ["/session", "/sign-in", "/people"],
  "DELETE /sessions": CHANGES_SESSIONS,
  "DELETE /sessions/{session}": CHANGES_SESSIONS,
  "POST /tokens": ["/tokens"],
  "DELETE /tokens/{token}": ["/tokens"],
  "POST /people": CHANGES_PERSON,
  "PATCH /people/{person}": [...CHANGES_PERSON, "/tokens", "/client-sessions", "/session/clients"],
  // Their account is suspended, and so are the keys below it.
  "DELETE /people/{person}": [...CHANGES_PERSON, ...CHANGES_STATUS, ...CHANGES_CLIENTS, ...CHANGES_SESSIONS, "/tokens"],
  "POST /people/{person}/grants": CHANGES_PERSON,
  "PATCH /people/{person}/grants": CHANGES_PERSON,
  "POST /people/{person}/password": [...CHANGES_PERSON, ...CHANGES_SESSIONS],
  "DELETE /people/{person}/sessions": CHANGES_SESSIONS,
  "DELETE /people/{person}/sessions/{session}": CHANGES_SESSIONS,
  "DELETE /people/{person}/client-sessions": CHANGES_CLIENTS,
  "DELETE /people/{person}/client-sessions/{session}": CHANGES_CLIENTS,
  "DELETE /session/clients/{session}": CHANGES_CLIENTS,
  "POST /keys": CHANGES_MONEY,
  "PATCH /keys/{key}": [...CHANGES_KEY, "/accounts/{account}", "/notices", "/series", "/usage"],
  "POST /keys/{key}/rotate": [...CHANGES_KEY, "/accounts/{account}", "/requests", "/client-sessions"],
  "POST /keys/{key}/move": CHANGES_HOME,
  "POST /keys/{key}/adopt": CHANGES_HOME,
  "POST /keys/{key}/limits": CHANGES_LIMIT,
  "POST /keys/{key}/limits/remove": CHANGES_LIMIT,
  ...Object.fromEntries(
    ["suspend", "resume", "disable", "enable", "revoke"].map((change) => [
      `POST /keys/{key}/${change}`,
      [...CHANGES_STATUS, ...CHANGES_CLIENTS],
    ]),
  ),
  "POST /accounts": CHANGES_ACCOUNT,
  "PATCH /accounts/{account}": CHANGES_PATH,
  "POST /accounts/{account}/topups": CHANGES_MONEY,
  "POST /accounts/{account}/tiers": ["/accounts", "/accounts/{account}"],
  "POST /accounts/{account}/regions": ["/accounts", "/accounts/{account}"],
  "POST /accounts/{account}/limits": CHANGES_LIMIT,
  "POST /accounts/{account}/limits/remove": CHANGES_LIMIT,
  ...Object.fromEntries(
    ["suspend", "resume", "disable", "enable"].map((change) => [`POST /accounts/{account}/${change}`, CHANGES_STATUS]),
  ),
  "POST /accounts/{account}/purse/close": CHANGES_MONEY,
  "POST /accounts/{account}/close": CHANGES_PATH,
  "POST /keys/{key}/topups": CHANGES_MONEY,
  "POST /keys/{key}/budget": CHANGES_MONEY,
  // The page is told of it by the gateway.
  "POST /live/{request}/cancel": ["/live"],
  "POST /ledger/closed-purses/{purse}/move": CHANGES_MONEY,
  "POST /costs": ["/costs", "/ledger/margins"],
  "POST /ledger/verify": ["/ledger/verifications"],
  "POST /ledger/quarantine/{request}/release": [
    ...CHANGES_MONEY,
    "/ledger/quarantine",
    "/requests/{request}",
    "/usage",
    "/status",
  ],
  "POST /notices/test": [],
  "POST /notices/retry": ["/notices", "/notices/endpoints"],
  "POST /notices/thresholds": ["/notices/thresholds"],
  "POST /providers": CHANGES_ROUTES,
  "DELETE /providers/{provider}": CHANGES_ROUTES,
  "POST /providers/{provider}/test": [],
  "POST /providers/rekey": ["/providers", "/providers/{provider}"],
  "POST /models": CHANGES_CATALOGUE,
  "POST /models/{model}/prices": CHANGES_CATALOGUE,
  "POST /models/publish": CHANGES_ROUTES,
  "POST /models/unpublish": CHANGES_ROUTES,
  "DELETE /models/{model}/routes/{route}": CHANGES_ROUTES,
  "POST /models/{model}/accepted-alarms": ["/models", "/models/{model}"],
  "DELETE /models/{model}/accepted-alarms/{kind}": ["/models", "/models/{model}"],
  "POST /catalogue": [...CHANGES_CATALOGUE, "/costs", "/ledger/margins"],
  "POST /models/import": CHANGES_CATALOGUE,
  "POST /models/import/litellm": CHANGES_CATALOGUE,
};

const inAdmin = (name: string): string => name.replace(" /", " /admin/v1/");
const resourceOf = (name: string): string =>
  operations.find(({ method, path }) => `${method.toUpperCase()} ${path}` === name)?.resource ?? `nothing: ${name}`;

test("every change of an operator is in the table of what it changes", () => {
  const changes = operations.filter((one) => isChange(one) && one.path.startsWith("/admin"));

  expect(Object.keys(SHOWN).map(inAdmin).toSorted()).toEqual(
    changes.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
  );
});

test.each(Object.entries(SHOWN))("after %s, what shows something else is read again", (change, reads) => {
  const resource = resourceOf(inAdmin(change)) as keyof typeof ALSO_CHANGED;
  const reread: readonly string[] = [resource, ...ALSO_CHANGED[resource]];

  expect(reads.filter((read) => !reread.includes(resourceOf(inAdmin(`GET ${read}`))))).toEqual([]);
});
