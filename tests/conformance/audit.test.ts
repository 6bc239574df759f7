import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { searchFolder } from "../../scripts/secret-canary.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type OidcServer, signInSettings, startOidc } from "../support/oidc/start-oidc.ts";
import { plantPeople } from "../support/plant-people.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";

const SLOW = { timeout: 240_000 };
const random = (): string => randomBytes(24).toString("base64url").replaceAll(/[-_]/g, "x");
/** What is planted, by where it goes. Keys and sessions are added as they are made. */
const PLANTED = {
  adminToken: `admin-${random()}`,
  metricsToken: `metrics-${random()}`,
  credentialKey: randomBytes(32).toString("base64"),
  storedCredential: `sk-stored-${random()}`,
  namedCredential: `sk-named-${random()}`,
  webhook: `whsec_${randomBytes(32).toString("base64")}`,
  keptSecret: `sk-kept-${random()}`,
  guessedToken: `guess-${random()}`,
};
const FORMULA = "=HYPERLINK(0)";
const PAGES = ["/docs", "/openapi.json", "/metrics", "/metrics/all", "/readyz"];
const PG_DUMP = [
  "/usr/lib/postgresql/15/bin/pg_dump",
  "/opt/homebrew/opt/postgresql@15/bin/pg_dump",
  "/usr/pgsql-15/bin/pg_dump",
];
const missing = whyUnavailable("15");

type Entry = { id: string; action: string; outcome: string; resource: { id: string | null; name: string | null } };

describe.skipIf(missing)(`the audit log of a gateway${missing === null ? "" : `: skipped, ${missing}`}`, () => {
  let database: FreshDatabase;
  let simulator: SimulatorProcess;
  let oidc: OidcServer;
  let gateway: ServeProcess;
  let folder: string;
  let environment: Record<string, string>;
  /** All that the gateway and its commands answered. */
  let heard = "";
  const secrets = new Set<string>(Object.values(PLANTED));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-audit-"));
    [database, simulator, oidc] = await Promise.all([freshDatabase(), startSimulatorProcess(), startOidc()]);
    rememberSecrets([...secrets]);
    environment = {
      ...childEnvironment(),
      HOME: folder,
      DATABASE_URL: database.url,
      ...signInSettings(oidc, "admins -> owner"),
      TOLLGATE_ADMIN_TOKEN: PLANTED.adminToken,
      TOLLGATE_ADMIN_METRICS_TOKEN: PLANTED.metricsToken,
      TOLLGATE_CREDENTIAL_KEY: PLANTED.credentialKey,
      TOLLGATE_NOTICES_WEBHOOKS: `ops=http://127.0.0.1:9/hook ${PLANTED.webhook}`,
      TOLLGATE_KEYS_ACCEPT_FOREIGN: "on",
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      NAMED_KEY: PLANTED.namedCredential,
    };
    gateway = await startServeProcess({ folder, environment });
    oidc.allowRedirect(`${gateway.adminUrl}/admin/v1/sign-in/oidc/callback`);
  }, 240_000);
  afterAll(async () => {
    await gateway?.stop();
    await simulator?.stop();
    await oidc?.close();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(method: string, path: string, body?: object, token = PLANTED.adminToken): Promise<Response> {
    const response = await fetch(`${gateway.adminUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.clone().text();
    // A new key is shown once, to whoever made it.
    const shown = /"secret":"([^"]+)"/.exec(text)?.[1];
    if (method === "POST" && shown !== undefined) secrets.add(shown);
    heard += `${text.replaceAll(/"secret":"[^"]+"/g, "")}\n`;
    return response;
  }
  async function tollgate(...words: string[]): Promise<Ran> {
    const ran = await runTollgate(words, { cwd: folder, env: environment });
    heard += ran.stdout + ran.stderr;
    return ran;
  }
  const made = async (order: object): Promise<{ key: { id: string; prefix: string }; secret: string }> =>
    (await (await ask("POST", "/admin/v1/keys", { mode: "credit", ...order })).json()) as never;
  const entries = async (query: string): Promise<Entry[]> =>
    ((await (await ask("GET", `/admin/v1/audit?${query}`)).json()) as { data: Entry[] }).data;

  test("a change through the API and one by a command are both in the log, and both faces show it", SLOW, async () => {
    const { key } = await made({ label: "build" });
    const suspended = await tollgate("keys", "suspend", key.prefix);
    const listed = await tollgate("audit", "list", "--resource", key.prefix, "--json");
    const { data } = JSON.parse(listed.stdout) as { data: (Entry & { actor: string; via: string; address: string })[] };

    expect(suspended.code).toBe(0);
    expect(data).toMatchObject([
      { actor: "cli", via: "cli", address: null, action: "key.status", outcome: "done" },
      { actor: "admin", via: "automation", address: "127.0.0.1", action: "key.create", outcome: "done" },
    ]);
    const shown = await tollgate("audit", "show", data[0]?.id ?? "");
    expect(shown.stdout).toContain("active → suspended");
    expect(await entries(`resource=${key.id}`)).toMatchObject(data.map(({ id }) => ({ id })));
  });

  test("an export has every entry once, in its order, and a formula is a text in it", SLOW, async () => {
    await ask("POST", "/admin/v1/accounts", { name: FORMULA, kind: "team" });
    await ask("POST", "/admin/v1/accounts", { name: "Many", kind: "organisation" });
    for (let number = 0; number < 60; number++) await ask("PATCH", "/admin/v1/accounts/Many", { name: "Many" });

    const ndjson = await (await ask("GET", "/admin/v1/audit/export.ndjson")).text();
    const lines = ndjson
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry & { at: string });
    expect(lines.length).toBeGreaterThan(62);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted());
    const command = await tollgate("audit", "export", "--format", "ndjson");
    expect(command.stdout).toBe(ndjson);
    const csv = await (await ask("GET", `/admin/v1/audit/export.csv?resource=${encodeURIComponent(FORMULA)}`)).text();
    expect(csv.split("\r\n")[1]).toContain(`,'${FORMULA},`);
    expect(csv).not.toContain(`,${FORMULA}`);
  });

  test("whoever is not let in stands in the log with their address, and many attempts as a count", SLOW, async () => {
    for (let attempt = 0; attempt < 20; attempt++) await ask("GET", "/admin/v1/keys/x", undefined, "wrong");
    const refused = (): Promise<Entry[]> => entries("action=door.refused");
    await until(async () => (await refused()).length > 0, "the first is written");

    const found = (await refused()) as (Entry & { count: number })[];
    expect(found[0]).toMatchObject({
      actor: "anonymous",
      address: "127.0.0.1",
      outcome: "refused",
      code: "invalid_credentials",
      resource: { kind: "operation", id: "GET /admin/v1/keys/:key" },
      asked: null,
    });
    expect(found.length, "a row for each minute and address, not for each attempt").toBeLessThan(5);
  });

  test(
    "no secret is in a dump of the database, a log, a metric, an audit entry, an error or a page",
    SLOW,
    async () => {
      const { key, secret } = await made({ label: "canary", credit: "5" });
      await ask("POST", `/admin/v1/keys/${key.id}/rotate`, { overlap_ms: 60_000 });
      await made({ existing_secret: PLANTED.keptSecret });
      const provider = {
        name: "east",
        base_url: simulator.url,
        credential: "stored",
        secret: PLANTED.storedCredential,
      };
      await ask("POST", "/admin/v1/providers", provider);
      await ask("POST", "/admin/v1/providers", {
        ...provider,
        name: "west",
        credential: "env:NAMED_KEY",
        secret: null,
      });
      await ask("POST", "/admin/v1/notices/test", {});
      // What people get wrong: secrets as names, in paths, in the wrong field, at the wrong door.
      for (const wrong of [secret, PLANTED.adminToken, PLANTED.storedCredential]) {
        await ask("POST", `/admin/v1/keys/${wrong}/revoke`);
        await ask("GET", `/admin/v1/keys/${wrong}`);
        await ask("POST", "/admin/v1/keys", { mode: wrong });
        await ask("GET", "/admin/v1/keys", undefined, wrong);
        await ask("GET", `/admin/v1/nowhere/${wrong}?token=${wrong}`);
      }
      await ask("GET", "/admin/v1/keys", undefined, PLANTED.guessedToken);
      for (const path of ["/v1/models", "/v1/nowhere", "/me"]) {
        for (const bearer of [secret, PLANTED.adminToken, PLANTED.guessedToken]) {
          const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
          heard += `${await response.text()}\n`;
        }
      }
      const session = await fetch(`${gateway.url}/me/session`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: gateway.url },
        body: JSON.stringify({ key: secret }),
      });
      heard += await session.text();
      const cookie = /^[^=]+=([^;]+)/.exec(session.headers.get("set-cookie") ?? "")?.[1];
      if (cookie !== undefined) secrets.add(cookie);
      const setupToken = /with this setup token:\s+(\S{43})\n/.exec(gateway.output())?.[1] ?? "";
      const people = await plantPeople({ adminUrl: gateway.adminUrl, setupToken, oidc });
      heard += people.heard;
      for (const one of Object.values(people.secrets)) secrets.add(one);
      rememberSecrets(Object.values(people.secrets).filter((one) => one !== setupToken));
      expect(Object.entries(people.secrets).filter(([, one]) => one.length < 20)).toEqual([]);
      expect(secrets.size).toBeGreaterThanOrEqual(Object.keys(PLANTED).length + 2 + 14);
      for (const page of PAGES) await ask("GET", page);
      await ask("GET", "/admin/v1/audit/export.ndjson");
      await ask("GET", "/admin/v1/audit/export.csv");
      await tollgate("config", "check");
      await tollgate("doctor");

      // The setup token is printed for whoever sets the gateway up, and nowhere else.
      const log = gateway.output().replace(setupToken, "");
      const search = (dump: string) => searched({ dump, heard, log }, secrets);
      const clean = search(dumped(database.url));
      process.stdout.write(
        `canary: ${clean.secrets} forms of ${secrets.size} secrets, ${clean.files} places, ${clean.lines} lines\n`,
      );
      expect(clean.leaks).toEqual([]);
      expect(clean.lines).toBeGreaterThan(500);
      // The search would find each of them: in a dump as text and as bytes, in the log, in what was answered.
      const found = [secret, PLANTED.storedCredential, cookie ?? "", ...Object.values(people.secrets)].flatMap(
        (one) => [`\\\\x${Buffer.from(one).toString("hex")}`, `1\t${one}`],
      );
      expect(search(found.join("\n")).leaks).toHaveLength(found.length);
    },
  );

  test(
    "a process that is killed in the middle of a change leaves an entry whose outcome is unknown",
    SLOW,
    async () => {
      const { key } = await made({ label: "victim" });
      const locking = new Client({ connectionString: database.url });
      const looking = new Client({ connectionString: database.url });
      await Promise.all([locking.connect(), looking.connect()]);
      await locking.query("begin");
      await locking.query("select from key where id = $1 for update", [key.id]);
      const cut = ask("POST", `/admin/v1/keys/${key.id}/suspend`).catch(() => null);
      const begun = "select from audit where resource_id = $1 and action = 'key.status'";
      await until(async () => ((await looking.query(begun, [key.id])).rowCount ?? 0) > 0, "the change has begun");

      gateway.signal("SIGKILL");
      await gateway.ended;
      await cut;
      await locking.query("rollback");
      await Promise.all([locking.end(), looking.end()]);

      const listed = await tollgate("audit", "list", "--resource", key.id, "--json");
      const [last] = (JSON.parse(listed.stdout) as { data: Entry[] }).data;
      expect(last).toMatchObject({
        action: "key.status",
        outcome: "unknown",
        ended_at: null,
        before: { status: "active" },
      });
    },
  );
});

/** All rows of all tables, as text. */
function dumped(url: string): string {
  const program = PG_DUMP.find((path) => existsSync(path)) ?? "pg_dump";
  return execFileSync(program, ["--dbname", url], { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
}

/** Bytes are written as hexadecimal digits in a dump, and as base64 in JSON. */
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("base64"),
];

function searched(files: Record<string, string>, secrets: ReadonlySet<string>) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-canary-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const page of readdirSync("docs/operate")) {
      if (page.endsWith(".md")) writeFileSync(join(folder, page), readFileSync(join("docs/operate", page)));
    }
    writeFileSync(join(folder, "secrets.txt"), [...secrets].flatMap(formsOf).join("\n"));
    return searchFolder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
