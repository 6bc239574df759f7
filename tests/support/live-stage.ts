import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as openRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { childEnvironment } from "./child-environment.ts";
import { rememberSecrets } from "./gateway-process.ts";
import { freshDatabase } from "./postgres.ts";
import { MAIN, type Ran, runTollgate } from "./run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "./serve-process.ts";
import { startSimulatorProcess } from "./simulator-process.ts";
import { until } from "./until.ts";

const ADMIN_TOKEN = "an-admin-token-for-live-requests";
const PROVIDER_KEY = "sk-provider-key-for-live-requests-0123456789";

export const FORMATS = ["chat", "responses", "messages"] as const;
export type Format = (typeof FORMATS)[number];

const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" };

export type LiveKey = { id: string; secret: string; prefix: string; mode: "credit" | "token_budget" };
export type LiveRow = {
  request_id: string;
  key_prefix: string;
  account_path: string[];
  model: string;
  provider: string | null;
  agent: string | null;
  streamed: boolean;
  age_ms: number;
  reserved: { credits: string | null; tokens: string | null };
  output_tokens: number | null;
  cost: { credits: string | null; tokens: string | null } | null;
};
export type LiveAnswer = { data: LiveRow[]; more: number; processes: number; silent: number };
type Said = { status: number; body: Record<string, never> & { error?: { code: string; message: string } } };
export type Asked = { gateway: ServeProcess; key: LiveKey; format: Format; fields?: object; path?: string };

export type LiveStage = Awaited<ReturnType<typeof startLiveStage>>;

type Options = {
  /** Further words of `tollgate serve`. */
  words?: readonly string[];
  /** Where gateways and commands find the database, if not at its own address. */
  reach?: (url: string) => Promise<string>;
  settings?: Record<string, string>;
};

/** Gateways on one PostgreSQL, with models whose streams go on until they are ended. */
export async function startLiveStage(gateways: number, { words = [], reach, settings = {} }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-live-"));
  const [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: reach === undefined ? database.url : await reach(database.url),
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    PROVIDER_KEY,
    ...settings,
  };
  rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogueAt(simulator.url)));
  const tollgate = (...command: string[]): Promise<Ran> => runTollgate(command, { cwd: folder, env: environment });
  const applied = await tollgate("catalogue", "apply", "catalogue.json");
  if (applied.code !== 0) throw new Error(applied.stderr);
  const start = (): Promise<ServeProcess> => startServeProcess({ folder, environment, words });
  const running = await Promise.all(Array.from({ length: gateways }, start));

  const operate = async (gateway: ServeProcess, call: string, body?: object): Promise<Said> => {
    const [method = "", path = ""] = call.split(" ");
    const response = await fetch(`${gateway.adminUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    return { status: response.status, body: (await response.json()) as Said["body"] };
  };

  /** As the owner of the tables, at the database's own address. */
  const sql = async (statement: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };

  return {
    sql,
    /** Whether processes still publish for somebody. */
    isWatched: async () => (await sql("select from live_watch where until > now() - interval '2 seconds'")).length > 0,
    gateways: running,
    database,
    environment,
    folder,
    adminToken: ADMIN_TOKEN,
    tollgate,
    /** A command that does not end by itself. */
    follow: (...command: string[]) => {
      const child = spawn(process.execPath, [MAIN, ...command], { cwd: folder, env: environment });
      let output = "";
      child.stdout.on("data", (bytes: Buffer) => void (output += bytes.toString()));
      child.stderr.on("data", (bytes: Buffer) => void (output += bytes.toString()));
      return { output: () => output, stop: () => void child.kill("SIGTERM") };
    },
    start,
    operate,
    live: async (gateway: ServeProcess): Promise<LiveAnswer> =>
      (await operate(gateway, "GET /live?limit=1000")).body as unknown as LiveAnswer,
    /** The request of a key, as this gateway shows it, once it is as wanted. */
    shown: async (gateway: ServeProcess, key: LiveKey, isWanted: (row: LiveRow) => boolean = () => true) => {
      let row: LiveRow | undefined;
      await until(async () => {
        const { status, body } = await operate(gateway, "GET /live?limit=1000");
        // A busy machine may have no connection for it.
        if (status === 503) return false;
        if (status !== 200) throw new Error(JSON.stringify(body));
        const { data } = body as unknown as LiveAnswer;
        row = data.find(({ key_prefix: prefix }) => prefix === key.prefix);
        return row !== undefined && isWanted(row);
      }, "the request is shown");
      return row as LiveRow;
    },
    cancel: (gateway: ServeProcess, request: string) => operate(gateway, `POST /live/${request}/cancel`),
    makeKey: async (mode: LiveKey["mode"] = "credit", terms: object = {}): Promise<LiveKey> => {
      const funds = mode === "credit" ? { credit: "1000" } : { budget: 100_000_000 };
      const { body } = await operate(running[0] as ServeProcess, "POST /keys", { mode, ...funds, ...terms });
      const { key, secret } = body as unknown as { key: { id: string; prefix: string }; secret: string };
      rememberSecrets([secret]);
      return { id: key.id, secret, prefix: key.prefix, mode };
    },
    /** What was charged to a key, once it is. */
    chargeOf: async (
      key: LiveKey,
    ): Promise<{ kind: string; credits: string; tokens: string; output_tokens: number }> => {
      type Entry = { kind: string; credits: string; tokens: string; output_tokens: number; request_id: string | null };
      let charges: Entry[] = [];
      await until(async () => {
        const { body } = await operate(running[0] as ServeProcess, `GET /keys/${key.id}/journal`);
        charges = (body as unknown as { data: Entry[] }).data.filter(({ request_id: request }) => request !== null);
        return charges.length > 0;
      }, "it is charged");
      if (charges.length > 1) throw new Error(`${charges.length} charges`);
      return charges[0] as Entry;
    },
    fundsOf: async (key: LiveKey) =>
      (await operate(running[0] as ServeProcess, `GET /keys/${key.id}/funds`)).body as unknown as Record<
        string,
        string
      >,
    close: async (): Promise<void> => {
      await Promise.all(running.filter(({ alive }) => alive()).map(({ stop }) => stop()));
      await simulator.stop();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a request and resolves with its response once its head is there. */
export async function send({ gateway, key, format, fields = {} }: Asked): Promise<IncomingMessage> {
  const origin = key.mode === "credit" ? "" : "/token";
  const request = openRequest(`${gateway.url}${origin}${PATHS[format]}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.secret}`,
      "content-type": "application/json",
      "user-agent": "live-test/1.0 \u009b31m",
    },
    agent: false,
  });
  const body = format === "responses" ? { input: "Hello" } : { messages: [{ role: "user", content: "Hello" }] };
  const limit = format === "messages" ? { max_tokens: 4_000 } : {};
  // Of what fails after the head, the response tells.
  request.on("error", () => undefined);
  request.end(JSON.stringify({ model: format, stream: true, ...body, ...limit, ...fields }));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

/** The error with which a stream of each format ends. */
export function errorAtEnd(format: Format, text: string): { code: string; message: string } {
  const last = text.trimEnd().split("\n\n").at(-1) ?? "";
  const data = JSON.parse(last.slice(last.indexOf("data: ") + 6)) as Record<string, { error?: unknown }>;
  return (format === "responses" ? data["response"]?.error : data["error"]) as { code: string; message: string };
}

function catalogueAt(simulatorUrl: string): object {
  const model = (id: string, upstream: string, format: Format): object => ({
    id,
    provider: "acme",
    max_output_tokens: 4_096,
    price: { input: "1", output: "1000" },
    routes: [{ provider: "acme", upstream_model: upstream, format, conformant: true }],
  });
  return {
    providers: [{ name: "acme", base_url: `${simulatorUrl}/v1`, credential: "env:PROVIDER_KEY" }],
    models: [
      ...FORMATS.map((format) => model(format, "sim+tokens=4000+rate=40", format)),
      model("slow", "sim+tokens=5+ttft=60000", "chat"),
      model("fast", "sim-fast", "chat"),
      model("long", "sim+tokens=4000+rate=5", "chat"),
      model("short", "sim+tokens=50+rate=40", "chat"),
    ],
  };
}
