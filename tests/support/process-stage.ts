import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { childEnvironment } from "./child-environment.ts";
import { rememberSecrets } from "./gateway-process.ts";
import { freshDatabase } from "./postgres.ts";
import { MAIN, runTollgate } from "./run-tollgate.ts";
import { startSimulatorProcess } from "./simulator-process.ts";

const ADMIN_TOKEN = "an-admin-token-for-processes";

type Line = { listener?: string; worker_pid?: number; url?: string; [field: string]: unknown };

/** A `tollgate serve` whose output, signals and limits are the test's. */
export type Served = {
  child: ChildProcess;
  pid: number;
  output: () => string;
  /** Lines of the log with this message. */
  lines: (message: string) => Line[];
  hasEnded: () => boolean;
  ended: Promise<{ code: number | null; signal: string | null }>;
};

type Start = {
  words?: readonly string[];
  settings?: Record<string, string>;
  stdio?: StdioOptions;
  /** Nobody reads what it writes. */
  unread?: boolean;
  /** As many open files as it may have. */
  openFiles?: number;
};

export type ProcessStage = {
  folder: string;
  key: string;
  databaseUrl: string;
  adminToken: string;
  serve: (start: Start) => Served;
  /** One request on a connection of its own: its status, or how it failed. */
  ask: (url: string) => Promise<number | string>;
  close: () => Promise<void>;
};

/** A database, a simulated provider with the models `fast` and `paced` (four seconds), and a key: for processes of any kind. */
export async function openProcessStage({ providerUrl }: { providerUrl?: string } = {}): Promise<ProcessStage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-processes-"));
  const [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: database.url,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_DATABASE_POOL_SIZE: "3",
    PORT: "0",
    TOLLGATE_ADMIN_PORT: "0",
    ACME_KEY: "sk-provider-key-for-processes-0123456789",
  };
  const model = (id: string, upstream: string) => ({
    id,
    provider: "acme",
    max_output_tokens: 4096,
    price: { input: "0.15", output: "0.60" },
    routes: [{ provider: "acme", upstream_model: upstream, format: "chat", conformant: true }],
  });
  const catalogue = {
    providers: [{ name: "acme", base_url: `${providerUrl ?? simulator.url}/v1`, credential: "env:ACME_KEY" }],
    models: [
      model("fast", "sim-fast"),
      model("paced", "sim+tokens=80+rate=20"),
      model("long", "sim+tokens=2000+rate=20"),
    ],
  };
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
  const run = async (...words: string[]): Promise<string> => {
    const ran = await runTollgate(words, { cwd: folder, env: environment });
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran.stdout;
  };
  await run("catalogue", "apply", "catalogue.json");
  const { secret: key } = JSON.parse(await run("keys", "create", "--credit", "1000", "--json")) as { secret: string };
  rememberSecrets([ADMIN_TOKEN, key, environment.ACME_KEY]);
  const started: Served[] = [];

  return {
    folder,
    key,
    databaseUrl: database.url,
    adminToken: ADMIN_TOKEN,
    serve: ({ words = [], settings = {}, stdio = ["ignore", "pipe", "pipe"], unread = false, openFiles }) => {
      const program = [MAIN, "serve", ...words];
      const [command, args] =
        openFiles === undefined
          ? [process.execPath, program]
          : ["sh", ["-c", `ulimit -n ${openFiles}; exec "$@"`, "sh", process.execPath, ...program]];
      const child = spawn(command, args, { cwd: folder, env: { ...environment, ...settings }, stdio });
      const served = follow(child, unread ? [child.stderr] : [child.stdout, child.stderr]);
      started.push(served);
      return served;
    },
    ask: (url) => ask(url, key),
    close: async () => {
      for (const { child } of started) child.kill("SIGKILL");
      await Promise.all(started.map(({ ended }) => ended));
      await simulator.stop();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function follow(child: ChildProcess, read: readonly (Readable | null)[]): Served {
  let output = "";
  for (const stream of read) stream?.on("data", (bytes: Buffer) => void (output += bytes.toString()));
  const ended = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    lines: (message) =>
      output.split("\n").flatMap((line) => (line.includes(`"msg":"${message}"`) ? [JSON.parse(line) as Line] : [])),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended,
  };
}

const PATIENCE_MS = 60_000;

function ask(url: string, key: string): Promise<number | string> {
  const body = JSON.stringify({ model: "fast", messages: [{ role: "user", content: "Hello" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return new Promise((resolve) => {
    const call = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent: false, timeout: PATIENCE_MS });
    call.on("timeout", () => (resolve("no answer"), call.destroy()));
    call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.on("response", (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", () => resolve("broken off"));
    });
    call.end(body);
  });
}

/** Where it listens: the address of clients, and those of operators. */
export function addressesOf(served: Served): { publicUrl: string; adminUrls: string[] } {
  const listening = served.lines("listening");
  const named = (name: string) => listening.filter(({ listener }) => listener === name).map(({ url = "" }) => url);
  return { publicUrl: named("public")[0] ?? "", adminUrls: named("admin") };
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
