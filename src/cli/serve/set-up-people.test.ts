import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { rememberSecrets } from "../../../tests/support/gateway-process.ts";
import { freshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import { startServeProcess } from "../../../tests/support/serve-process.ts";
import { createPasswordSignInOn } from "../../app/entrance/create-people.ts";
import { systemClock } from "../../core/clock.ts";
import { createSecret } from "../../core/secret/secret.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { setUpPeople } from "./set-up-people.ts";

const PASSWORD = "a first phrase for the owner";
const parts = new AsyncDisposableStack();
const database = parts.adopt(await emptyDatabase(), (it) => it.close());
afterAll(() => parts.disposeAsync());

let told: unknown[] = [];
let written = "";
beforeEach(() => {
  told = [];
  written = "";
});
const events = new Proxy({} as OperatorEvents & { initIgnored: () => void }, {
  get:
    (_events, name) =>
    (...what: unknown[]) =>
      void told.push(name, ...what),
});

const start = (email: string | null) =>
  setUpPeople({
    signIn: createPasswordSignInOn({ database, events, clock: systemClock }),
    init: { email, name: null, password: email === null ? null : createSecret(PASSWORD) },
    events,
    write: (text) => void (written += text),
  });
const count = async (table: "person" | "audit") =>
  Number((await database.query<{ count: bigint }>(`select count(*) from ${table}`))[0]?.count);

test("of several starts at once without settings for the first owner, one offers a setup token", async () => {
  await Promise.all([start(null), start(null), start(null)]);

  expect(written.match(/with this setup token:\n {2}[\w-]{43}\n/g)).toHaveLength(1);
  expect(written.match(/Another gateway on this database printed the setup token/g)).toHaveLength(2);
  expect(await count("person")).toBe(0);
});

test("of several processes that start at once, one makes the first owner, whatever email each has", async () => {
  await Promise.all(["Ann@acme.example", "bea@acme.example", "cy@acme.example"].map(start));

  expect(await count("person")).toBe(1);
  expect(told.filter((what) => what === "initIgnored")).toHaveLength(2);
  expect(written).toBe("");
  const rows = await database.query("select * from person p join role_grant g on g.person_id = p.id");
  expect(rows).toMatchObject([{ email: expect.stringMatching(/^(ann|bea|cy)@/), role: "owner", account_id: null }]);
});

test("a later start ignores the settings, and leaves nothing but a line in the log", async () => {
  const before = await count("audit");

  await start("dee@acme.example");

  expect(told).toEqual(["initIgnored"]);
  expect(await count("person")).toBe(1);
  expect(await count("audit")).toBe(before);
});

test("the password is in no row of the audit log and in no event", async () => {
  const rows = await database.query("select * from audit");

  expect(rows.length).toBeGreaterThan(0);
  expect(
    JSON.stringify([rows, told], (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  ).not.toContain(PASSWORD);
});

const missing = whyUnavailable("15");
describe.skipIf(missing)(`\`tollgate serve\`${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  test("makes the owner of its settings, who then signs in, and writes their password nowhere", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.adopt(mkdtempSync(join(tmpdir(), "tollgate-init-")), (it) => rmSync(it, { recursive: true }));
    const fresh = stack.adopt(await freshDatabase(), (it) => it.close());
    const token = "an-admin-token-for-the-first-owner";
    rememberSecrets([token, PASSWORD]);
    writeFileSync(join(folder, "password"), `${PASSWORD}\n`);
    const environment = {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: fresh.url,
      TOLLGATE_ADMIN_TOKEN: token,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      TOLLGATE_INIT_EMAIL: "Ann@acme.example",
      TOLLGATE_INIT_NAME: "Ann",
      TOLLGATE_INIT_PASSWORD_FILE: join(folder, "password"),
      TOLLGATE_DATABASE_STATEMENT_TIMEOUT_MS: "30000",
    };
    const both = await Promise.all([1, 2].map(() => startServeProcess({ folder, environment })));
    for (const served of both) stack.defer(async () => void (await served.stop()));

    const reply = await fetch(`${both[0]?.adminUrl}/admin/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ann@acme.example", password: PASSWORD }),
    });

    expect(await reply.json()).toMatchObject({
      actor: "ann@acme.example",
      person: { name: "Ann", grants: [{ role: "owner", account: null, source: "given" }] },
    });
    const output = both.map((served) => served.output()).join("\n");
    expect(output.match(/"msg":"first owner ignored"/g)).toHaveLength(1);
    expect(output.match(/created as the first owner/g)).toHaveLength(1);
    expect(output).not.toContain(PASSWORD);
    expect(output).not.toContain("setup token");
  });
});
