import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { bareEnvironment } from "../support/child-environment.ts";
import { freePort } from "../support/free-port.ts";
import { type Cluster, startCluster } from "../support/postgres-cluster.ts";
import { startStandbyOf } from "../support/postgres-standby.ts";
import { type PrometheusProcess, startPrometheus } from "../support/prometheus-process.ts";
import { MAIN } from "../support/run-tollgate.ts";
import { until } from "../support/until.ts";
import { type Authority, type CertificateFiles, createAuthority } from "./certificates.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { type Provider, startProvider } from "./provider.ts";
import { moveWal, type SmallDisk } from "./small-disk.ts";

/** What a fault needs beside a gateway, its database and a provider. */
export type Wishes = { standby?: true; tls?: true; names?: true; clock?: true; openFiles?: number; smallDisk?: true };

export type FaultStage = {
  gateway: { url: string; adminUrl: string; pid: number; output: () => string };
  adminToken: string;
  keys: readonly string[];
  cluster: Cluster;
  standby: Cluster | null;
  provider: Provider;
  prometheus: PrometheusProcess;
  names: NameServer | null;
  /** For the WAL of the server. */
  disk: SmallDisk | null;
  certificates: { authority: Authority; setDatabase: (files: CertificateFiles) => Promise<void> } | null;
  setClock: (error: { byMs: number; perSecondMs: number }) => void;
  /** As the superuser of the first server. */
  sql: (statement: string) => Promise<unknown[]>;
  /** Has every connection of the gateway made anew. */
  cutDatabase: () => Promise<void>;
  tollgate: (...words: string[]) => Promise<{ code: number | null; stdout: string; stderr: string }>;
  close: () => Promise<void>;
};

const ADMIN_TOKEN = "an-admin-token-for-drills";
const METRICS_TOKEN = "a-metrics-token-for-drills";
const KEYS = 4;
const START_MS = 60_000;
const CLOCK = join(import.meta.dirname, "moved-clock.ts");
/** On this machine alone do these names lead anywhere. */
const DATABASE_NAME = "books.drill.example";
const PROVIDER_NAME = "provider.drill.example";

// oxlint-disable-next-line max-lines-per-function -- one stage, in the order in which it is set up
export async function startStage(wishes: Wishes): Promise<FaultStage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-faults-"));
  const authority = wishes.tls === undefined ? null : createAuthority(folder);
  const pair = authority?.sign("good", 30) ?? null;
  const cluster = await startCluster();
  const disk = wishes.smallDisk === undefined ? null : await moveWal(cluster, folder);
  const sql = async (statement: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: cluster.superuserUrl });
    client.on("error", () => undefined);
    await client.connect();
    await client.query("set synchronous_commit = local");
    try {
      return (await client.query<object>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  await sql("create role tollgate login");
  await sql("grant pg_monitor to tollgate");
  await sql("create database tollgate owner tollgate");
  const certificates =
    authority === null
      ? null
      : { authority, setDatabase: (files: CertificateFiles) => setCertificate({ cluster, sql }, files) };
  if (pair !== null) await certificates?.setDatabase(pair);
  const standby = wishes.standby === undefined ? null : await startStandbyOf(cluster);
  const [provider, names] = await Promise.all([startProvider(pair), wishes.names ? startNameServer() : null]);

  const clockFile = join(folder, "clock.json");
  const setClock: FaultStage["setClock"] = (error) =>
    writeFileSync(clockFile, JSON.stringify({ sinceMs: Date.now(), ...error }));
  setClock({ byMs: 0, perSecondMs: 0 });
  const hosts = [cluster, ...(standby === null ? [] : [standby])].map(
    ({ port }) => `${names === null ? "127.0.0.1" : DATABASE_NAME}:${port}`,
  );
  const trust = authority === null ? "" : `?sslmode=verify-full&sslrootcert=${authority.file}`;
  const [publicPort, adminPort] = [await freePort(), await freePort()];
  const environment: Record<string, string> = {
    ...bareEnvironment(),
    DATABASE_URL: `postgres://tollgate@${hosts.join(",")}/tollgate${trust}`,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_METRICS_TOKEN: METRICS_TOKEN,
    PORT: String(publicPort),
    TOLLGATE_ADMIN_PORT: String(adminPort),
    DRILL_KEY: "sk-provider-key-for-drills-0123456789",
    ...(authority !== null && { NODE_EXTRA_CA_CERTS: authority.file }),
    ...(wishes.clock && { NODE_OPTIONS: `--import ${CLOCK}`, TEST_CLOCK_FILE: clockFile }),
  };
  const resolver = names === null ? null : writeResolver(folder, names.address);
  const start = (words: readonly string[]) => {
    const own = words[0] === "serve" ? limited(wishes.openFiles) : [];
    const [command = "", ...rest] = [...own, ...(resolver ?? []), process.execPath, MAIN, ...words];
    const child = spawn(command, rest, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (bytes: Buffer) => void (stdout += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => void (stderr += bytes.toString()));
    return { child, output: () => stdout + stderr, stdout: () => stdout, stderr: () => stderr };
  };
  const tollgate: FaultStage["tollgate"] = async (...words) => {
    const { child, stdout, stderr } = start(words);
    // It may have printed all and wait for a lookup that does not end.
    await Promise.race([once(child, "close"), untilParsed(child, stdout)]);
    return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
  };
  const must = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await tollgate(...words);
    if (code !== 0 && code !== null) throw new Error(`tollgate ${words.join(" ")}: ${stderr}`);
    return stdout;
  };

  const providerHost = names === null ? "127.0.0.1" : PROVIDER_NAME;
  const providerUrl = `${pair === null ? "http" : "https"}://${providerHost}:${provider.port}/v1`;
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogueAt(providerUrl)));
  await must("migrate");
  await must("catalogue", "apply", "catalogue.json");
  const keys: string[] = [];
  for (let key = 0; key < KEYS; key += 1)
    keys.push((JSON.parse(await must("keys", "create", "--credit", "1000", "--json")) as { secret: string }).secret);

  const gateway = start(["serve"]);
  const [url, adminUrl] = [`http://127.0.0.1:${publicPort}`, `http://127.0.0.1:${adminPort}`];
  const isReady = () =>
    fetch(`${adminUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => gateway.child.exitCode !== null || (await isReady()), "the gateway serves", START_MS);
  if (gateway.child.exitCode !== null) throw new Error(gateway.output());
  const prometheus = await startPrometheus({ adminUrl, token: METRICS_TOKEN, everySeconds: 1 });

  return {
    gateway: { url, adminUrl, pid: gateway.child.pid ?? 0, output: gateway.output },
    adminToken: ADMIN_TOKEN,
    keys,
    cluster,
    standby,
    provider,
    prometheus,
    names,
    disk,
    certificates,
    setClock,
    sql,
    cutDatabase: async () => {
      await sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tollgate'");
    },
    tollgate,
    close: async () => {
      gateway.child.kill("SIGKILL");
      await prometheus.stop();
      provider.close();
      names?.close();
      await standby?.close();
      await cluster.close();
      disk?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once all of a JSON document was printed. */
const untilParsed = (child: ChildProcess, stdout: () => string): Promise<void> =>
  new Promise((resolve) => {
    child.stdout?.on("data", () => {
      if (stdout().endsWith("}\n")) resolve();
    });
  });

/** PostgreSQL reads a key that is its own alone. */
async function setCertificate(
  { cluster, sql }: Pick<FaultStage, "cluster" | "sql">,
  files: CertificateFiles,
): Promise<void> {
  const { uid, gid } = statSync(cluster.dataFolder);
  for (const [setting, from] of [
    ["ssl_cert_file", files.cert],
    ["ssl_key_file", files.key],
  ] as const) {
    const own = join(cluster.dataFolder, `${setting}.pem`);
    copyFileSync(from, own);
    chownSync(own, uid, gid);
    chmodSync(own, 0o600);
    await sql(`alter system set ${setting} = '${own}'`);
  }
  await sql("alter system set ssl = on");
  await sql("select pg_reload_conf()");
}

const limited = (files: number | undefined): string[] =>
  files === undefined ? [] : ["prlimit", `--nofile=${files}:${files}`];

/** The words before a program that has it ask this name server, and nothing else on this machine ask it. */
function writeResolver(folder: string, address: string): string[] {
  const file = join(folder, "resolv.conf");
  writeFileSync(file, `nameserver ${address}\n`);
  return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', file];
}

const catalogueAt = (url: string): object => ({
  providers: [{ name: "acme", base_url: url, credential: "env:DRILL_KEY" }],
  models: [
    {
      id: "m",
      provider: "acme",
      max_output_tokens: 4096,
      price: { input: "0.15", output: "0.60" },
      routes: [{ provider: "acme", upstream_model: "large", format: "chat", conformant: true }],
    },
  ],
});
