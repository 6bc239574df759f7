import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { until } from "../support/until.ts";

const EMAIL = "ann@acme.example";
const PASSWORD = "a long password of ann";
const ADMIN_TOKEN = "an-admin-token-for-tests";
/** Five seconds on a machine with time to spare; one that is busy with other tests says it later. */
const SAID_WITHIN_MS = 30_000;
const missing = whyUnavailable("15");

type Fault = {
  name: string;
  /** What operators are told, and PostgreSQL's name for it. */
  words: RegExp;
  begin: () => Promise<unknown>;
  /** Whether operators get in all the same. */
  signsIn?: true;
  end: () => Promise<unknown>;
};

describe.skipIf(missing !== null)(`an outage is said${missing === null ? "" : `: skipped, ${missing}`}`, () => {
  let cluster: Cluster;
  let simulator: SimulatorProcess;
  let gateway: ServeProcess;
  let superuser: Client;
  let blocker: Client;
  let folder: string;
  let secret: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-outages-"));
    [cluster, simulator] = await Promise.all([startCluster({ version: "15" }), startSimulatorProcess()]);
    superuser = await connect("postgres");
    for (const statement of ["create role tollgate login", "create database tollgate owner tollgate"])
      await superuser.query(statement);
    const environment = {
      ...childEnvironment(),
      DATABASE_URL: cluster.url("tollgate").replace("postgres@", "tollgate@"),
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      TOLLGATE_INIT_EMAIL: EMAIL,
      TOLLGATE_INIT_PASSWORD: PASSWORD,
      PROVIDER_KEY: "sk-provider-key-for-tests",
    };
    const catalogue = {
      providers: [{ name: "acme", base_url: `${simulator.url}/v1`, credential: "env:PROVIDER_KEY" }],
      models: [
        {
          id: "m",
          provider: "acme",
          max_output_tokens: 4096,
          price: { input: "0.15", output: "0.60" },
          routes: [{ provider: "acme", upstream_model: "sim-fast", format: "chat" }],
        },
      ],
    };
    writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
    const tollgate = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment });
      if (code !== 0) throw new Error(stderr);
      return stdout;
    };
    await tollgate("migrate");
    await tollgate("catalogue", "apply", "catalogue.json");
    secret = (JSON.parse(await tollgate("keys", "create", "--credit", "10", "--json")) as { secret: string }).secret;
    rememberSecrets([ADMIN_TOKEN, PASSWORD, secret]);
    gateway = await startServeProcess({ folder, environment });
  });
  afterAll(async () => {
    await gateway?.stop();
    await simulator?.stop();
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function connect(database: string): Promise<Client> {
    const client = new Client({ connectionString: cluster.url(database) });
    client.on("error", () => undefined);
    await client.connect();
    await client.query("set synchronous_commit = off");
    return client;
  }

  const probe = async (url: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(url);
    return { status: response.status, text: await response.text() };
  };
  const healthy = () => probe(`${gateway.adminUrl}/healthz`);
  const isUp = async (): Promise<boolean> => (await healthy()).status === 200;
  const gauge = async (): Promise<string | undefined> => {
    const metrics = await fetch(`${gateway.adminUrl}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    return /^tollgate_ledger_up (\d)$/m.exec(await metrics.text())?.[1];
  };
  const status = async (): Promise<{ status: string; reasons: string[] }> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const response = await fetch(`${gateway.adminUrl}/admin/v1/status`, { headers });
    return (await response.json()) as { status: string; reasons: string[] };
  };
  const generate = async (): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  /** In, and to the page that says what is wrong. */
  const signIn = async (): Promise<number> => {
    const opened = await fetch(`${gateway.adminUrl}/admin/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: gateway.adminUrl },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    const cookie = opened.headers
      .getSetCookie()
      .map((set) => set.split(";")[0])
      .join("; ");
    await opened.arrayBuffer();
    const looked = await fetch(`${gateway.adminUrl}/admin/v1/status`, { headers: { cookie } });
    await looked.arrayBuffer();
    return looked.status;
  };
  const setting = async (line: string): Promise<void> => {
    await superuser.query(`alter system ${line}`);
    await superuser.query("select pg_reload_conf()");
  };

  const faults: Fault[] = [
    {
      name: "the synchronous standby is gone",
      words: /no synchronous standby confirms commits/,
      begin: () => setting("set synchronous_standby_names = 'gone'"),
      end: () => setting("reset synchronous_standby_names"),
      signsIn: true,
    },
    {
      name: "the server is read-only",
      words: /the database is read-only \(SQLSTATE 25006\)|no server of database\.url accepts writes/,
      begin: () => setting("set default_transaction_read_only = on"),
      end: async () => {
        await superuser.query("set default_transaction_read_only = off");
        await setting("reset default_transaction_read_only");
      },
    },
    {
      name: "an operator's psql holds a lock",
      words: /a lock is held by session \d+ \(psql\)/,
      begin: async () => {
        blocker = await connect("tollgate");
        await blocker.query("set application_name = 'psql'");
        await blocker.query("begin");
        await blocker.query("lock table charge in share mode");
      },
      end: () => blocker.end(),
    },
    {
      name: "the role has lost a right",
      words: /the role may not do what the ledger needs \(SQLSTATE 42501\)/,
      begin: () => inBooks("revoke insert on charge from tollgate"),
      end: () => inBooks("grant insert on charge to tollgate"),
    },
    {
      name: "the server is frozen",
      words: /takes calls and does not answer them/,
      begin: async () => signalAll("SIGSTOP"),
      end: async () => signalAll("SIGCONT"),
    },
    {
      name: "the server is stopped",
      words:
        /nothing listens at the address of the database|PostgreSQL is (shutting down|starting)|connections to the database are cut/,
      begin: () => cluster.stop({ mode: "fast" }),
      end: async () => {
        await cluster.start();
        superuser = await connect("postgres");
      },
    },
  ];

  async function inBooks(statement: string): Promise<void> {
    const client = await connect("tollgate");
    await client.query(statement);
    await client.end();
  }

  async function signalAll(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    const { execFileSync } = await import("node:child_process");
    const postmaster = String(cluster.pid());
    const children = execFileSync("pgrep", ["-P", postmaster]).toString().trim().split("\n");
    for (const pid of [postmaster, ...children]) process.kill(Number(pid), signal);
  }

  test.each(faults)(
    "$name: known before a request fails, in words, and over as soon as it is mended",
    async (fault) => {
      await until(isUp, "it is up before");
      const from = gateway.output().length;
      const lines = (): string[] =>
        [
          ...gateway
            .output()
            .slice(from)
            .matchAll(/"msg":"ledger (down|up)/g),
        ].map(([, which = ""]) => which);

      const beganAt = performance.now();
      await fault.begin();
      await until(async () => !(await isUp()), "it says that it is down", SAID_WITHIN_MS);
      const downAfter = performance.now() - beganAt;
      // What makes calls wait is looked for once it is known that they do.
      await until(
        async () => fault.words.test((await healthy()).text),
        `it says ${fault.words.source}`,
        SAID_WITHIN_MS,
      );
      expect(await gauge()).toBe("0");
      expect((await status()).status).toBe("unavailable");
      expect(await probe(`${gateway.url}/readyz`)).toEqual({ status: 200, text: '{"status":"degraded"}' });
      expect((await probe(`${gateway.url}/livez`)).status).toBe(200);
      // One request a second tries the ledger, and waits. Nobody else does.
      const trying = generate();
      const refused = await generate();
      if (fault.signsIn) expect(await signIn()).toBe(200);

      const endedAt = performance.now();
      await fault.end();
      await until(isUp, "it says that it is up", SAID_WITHIN_MS);
      const upAfter = performance.now() - endedAt;
      await until(async () => (await generate()) === 200, "it serves again");

      expect(refused).toBe(503);
      expect([200, 503]).toContain(await trying);
      expect(await gauge()).toBe("1");
      await until(() => lines().includes("up"), "a line tells the end");
      expect(lines()).toEqual(["down", "up"]);
      console.log(
        `${fault.name}: said after ${(downAfter / 1_000).toFixed(1)} s, up after ${(upAfter / 1_000).toFixed(1)} s`,
      );
    },
    180_000,
  );

  test("without notifications alone, requests are served and it is degraded", async () => {
    await until(isUp, "it is up before");
    const before = gateway.output().length;
    // A role's limit keeps the connections that are open and refuses the one that is made again.
    await superuser.query("alter role tollgate connection limit 0");
    await superuser.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tollgate' and query ilike '%listen%'",
    );
    await until(
      async () => (await healthy()).text.includes("not announced"),
      "it says what is missing",
      SAID_WITHIN_MS,
    );

    expect((await healthy()).status).toBe(200);
    expect(await gauge()).toBe("1");
    expect(await generate()).toBe(200);
    expect(gateway.output().slice(before)).not.toContain("ledger down");
    await superuser.query("alter role tollgate connection limit -1");
    await until(async () => (await healthy()).text === '{"status":"ok","reasons":[]}', "it hears again");
  }, 120_000);
});
