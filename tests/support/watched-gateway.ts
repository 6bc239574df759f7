import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberSecrets } from "./gateway-process.ts";
import { freshDatabase } from "./postgres.ts";
import { type MoreTargets, type PrometheusProcess, startPrometheus } from "./prometheus-process.ts";
import { runTollgate } from "./run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "./serve-process.ts";
import { startSimulatorProcess } from "./simulator-process.ts";
import { childEnvironment } from "./child-environment.ts";

const ADMIN_TOKEN = "an-admin-token-for-watching";
const METRICS_TOKEN = "a-metrics-token-for-watching";

/** What the simulated provider does under the name of each model, and the format it is asked in. */
const MODELS = {
  fast: { upstream: "sim-fast", format: "chat", provider: "acme" },
  answers: { upstream: "sim-fast", format: "responses", provider: "acme" },
  thinker: { upstream: "sim+tokens=30+rate=60+ttft=150", format: "messages", provider: "bolt" },
  paced: { upstream: "sim+tokens=60+rate=25+ttft=80", format: "chat", provider: "acme" },
  cutoff: { upstream: "sim+tokens=30+fail=error@5", format: "chat", provider: "acme" },
  uncounted: { upstream: "sim+usage=missing", format: "chat", provider: "acme" },
  down: { upstream: "sim+fail=500", format: "chat", provider: "flaky" },
  locked: { upstream: "sim+fail=401", format: "chat", provider: "locked" },
} as const;

type Model = keyof typeof MODELS;
type Key = "rich" | "second" | "poor" | "slow" | "budget" | "wrong";

export type WatchedGateway = {
  prometheus: PrometheusProcess;
  /** The public names of its keys. */
  prefixes: Record<Exclude<Key, "wrong">, string>;
  /** So many requests that succeed, times six: both formats, streamed and not, three keys. */
  succeed: (times: number) => Promise<void>;
  /** Some requests of every kind that is rejected, fails or needs a look. */
  fail: () => Promise<void>;
  /** The statuses it has answered with. */
  statuses: Set<number>;
  stop: () => Promise<void>;
};

type Like = Pick<MoreTargets, "path" | "labelsOf"> & { gateways: number };

/** A gateway on PostgreSQL in front of providers that fail in several ways, watched by Prometheus. `like`: several, scraped in another way. */
export async function startWatchedGateway(everySeconds: number, like?: Like): Promise<WatchedGateway> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-watched-"));
  const [database, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: database.url,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_METRICS_TOKEN: METRICS_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    PROVIDER_KEY: "sk-provider-key-for-watching-0123456789",
  };
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue(simulator.url)));
  const applied = await runTollgate(["catalogue", "apply", "catalogue.json"], { cwd: folder, env: environment });
  if (applied.code !== 0) throw new Error(applied.stderr);
  const gateway = await startServeProcess({ folder, environment });
  const others: ServeProcess[] = [];
  while (others.length + 1 < (like?.gateways ?? 1)) others.push(await startServeProcess({ folder, environment }));
  const more = like && { ...like, adminUrls: others.map(({ adminUrl }) => adminUrl) };
  const prometheus = await startPrometheus({ adminUrl: gateway.adminUrl, token: METRICS_TOKEN, everySeconds, more });

  const makeKey = async (terms: object): Promise<{ secret: string; prefix: string }> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const response = await fetch(`${gateway.adminUrl}/admin/v1/keys`, {
      method: "POST",
      headers,
      body: JSON.stringify(terms),
    });
    const { secret, key } = (await response.json()) as { secret: string; key: { prefix: string } };
    rememberSecrets([secret]);
    return { secret, prefix: key.prefix };
  };
  const made = {
    rich: await makeKey({ mode: "credit", credit: "1000" }),
    second: await makeKey({ mode: "credit", credit: "1000" }),
    poor: await makeKey({ mode: "credit" }),
    slow: await makeKey({ mode: "credit", credit: "1000", rpm_limit: 1 }),
    budget: await makeKey({ mode: "token_budget", budget: 100_000_000 }),
  };
  const secrets: Record<Key, string> = {
    wrong: "tgc_000_a-secret-that-nobody-has",
    ...(Object.fromEntries(Object.entries(made).map(([name, { secret }]) => [name, secret])) as Record<
      keyof typeof made,
      string
    >),
  };
  const statuses = new Set<number>();
  const ask = createAsk({ urls: [gateway, ...others].map(({ url }) => url), secrets, statuses });

  return {
    prometheus,
    prefixes: Object.fromEntries(
      Object.entries(made).map(([name, { prefix }]) => [name, prefix]),
    ) as WatchedGateway["prefixes"],
    succeed: async (times) => {
      const rounds = Array.from({ length: times }, () => [
        ask("fast", "rich"),
        ask("fast", "second"),
        ask("fast", "rich", { stream: true }),
        ask("answers", "rich", { stream: true }),
        ask("thinker", "second", { stream: true }),
        ask("fast", "budget"),
      ]);
      await Promise.all(rounds.flat());
    },
    fail: async () => {
      await Promise.all([
        ask("fast", "poor"),
        ask("fast", "wrong"),
        ...[1, 2, 3].map(() => ask("fast", "slow")),
        ...[1, 2, 3, 4, 5, 6].map(() => ask("down", "second")),
        ask("locked", "second"),
        ask("cutoff", "rich", { stream: true }),
        ask("uncounted", "rich"),
        ask("fast", "rich", { made_up: 1 }),
        ask("paced", "rich", { stream: true }),
        ask("paced", "rich", { stream: true }, "disconnects"),
      ]);
    },
    statuses,
    stop: async () => {
      await prometheus.stop();
      await Promise.all([gateway, ...others].map((each) => each.stop()));
      await simulator.stop();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" };

/** Sends one request and reads its response to the end, or to its first bytes. */
function createAsk({
  urls,
  secrets,
  statuses,
}: {
  urls: string[];
  secrets: Record<Key, string>;
  statuses: Set<number>;
}) {
  let asked = 0;
  return async (model: Model, key: Key, more: object = {}, end: "reads" | "disconnects" = "reads"): Promise<void> => {
    const url = urls[asked++ % urls.length];
    const { format } = MODELS[model];
    const messages = [{ role: "user", content: "Hello" }];
    const body = {
      model,
      ...(format === "responses" ? { input: "Hello" } : { messages }),
      ...(format === "messages" && { max_tokens: 64 }),
      ...more,
    };
    const stop = new AbortController();
    const response = await fetch(`${url}${key === "budget" ? "/token" : ""}${PATHS[format]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secrets[key]}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: stop.signal,
    });
    statuses.add(response.status);
    if (end === "reads") return void (await response.text());
    await response.body?.getReader().read();
    stop.abort();
  };
}

function catalogue(simulatorUrl: string): object {
  const names = [...new Set(Object.values(MODELS).map(({ provider }) => provider))];
  return {
    providers: names.map((name) => ({ name, base_url: `${simulatorUrl}/v1`, credential: "env:PROVIDER_KEY" })),
    models: Object.entries(MODELS).map(([id, { upstream, format, provider }]) => ({
      id,
      provider,
      max_output_tokens: 4096,
      price: { input: "150", output: "600" },
      routes: [{ provider, upstream_model: upstream, format, conformant: true }],
    })),
  };
}
