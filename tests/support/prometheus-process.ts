import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/** Why tests with Prometheus cannot run here; null when they can. */
export const whyNoPrometheus = (): string | null =>
  spawnSync("prometheus", ["--version"]).error === undefined
    ? null
    : "Prometheus is not installed: apt-get install prometheus";

export type Sample = { metric: Record<string, string>; value: [number, string] };
export type Series = { metric: Record<string, string>; values: [number, string][] };
export type FiringAlert = { labels: Record<string, string>; annotations: Record<string, string>; state: string };

export type PrometheusProcess = {
  query: (expr: string) => Promise<Sample[]>;
  /** Over the last so many seconds. */
  queryRange: (expr: string, range: { seconds: number; step: number }) => Promise<Series[]>;
  /** Whether a target describes a metric of this name, with or without a series. */
  isDescribed: (name: string) => Promise<boolean>;
  alerts: () => Promise<FiringAlert[]>;
  /** Waits until whatever happened before this call was scraped and the rules have seen it. */
  scraped: () => Promise<void>;
  stop: () => Promise<void>;
};

type Watch = { adminUrl: string; token: string; everySeconds: number; more?: MoreTargets | undefined };

/** Scraped as something else than `prometheus.yml` does it: at another path, further gateways too, each with the labels that it is given. */
export type MoreTargets = {
  path: string;
  adminUrls: readonly string[];
  labelsOf: (index: number) => Record<string, string>;
};

/** Prometheus with the configuration and the rules of `deploy/prometheus`, with another interval. */
export async function startPrometheus(target: Watch): Promise<PrometheusProcess> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-prometheus-"));
  cpSync(join(import.meta.dirname, "../../deploy/prometheus"), folder, { recursive: true });
  const configuration = join(folder, "prometheus.yml");
  writeFileSync(
    configuration,
    readFileSync(configuration, "utf8")
      .replaceAll("_interval: 15s", `_interval: ${target.everySeconds}s`)
      .replace("metrics_path: /metrics/all", `metrics_path: ${target.more?.path ?? "/metrics/all"}`),
  );
  writeFileSync(join(folder, "tollgate-token"), target.token);
  const hosts = [target.adminUrl, ...(target.more?.adminUrls ?? [])].map((url) => new URL(url).host);
  const targets = hosts.map((host, index) => ({ targets: [host], labels: target.more?.labelsOf(index) ?? {} }));
  writeFileSync(join(folder, "targets/tollgate.yml"), JSON.stringify(targets));
  mkdirSync(join(folder, "data"));
  const port = await freePort();
  const flags = [`--config.file=${configuration}`, `--storage.tsdb.path=${join(folder, "data")}`];
  const child = spawn("prometheus", [...flags, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => void (output += bytes.toString()));

  async function ask<Data>(path: string, fields: Record<string, string> = {}): Promise<Data> {
    const response = await fetch(`http://127.0.0.1:${port}${path}?${new URLSearchParams(fields).toString()}`);
    const answer = (await response.json()) as { status: string; data: Data; error?: string };
    if (answer.status !== "success") throw new Error(`${fields["query"]}: ${answer.error}`);
    return answer.data;
  }
  const query = async (expr: string): Promise<Sample[]> =>
    (await ask<{ result: Sample[] }>("/api/v1/query", { query: expr })).result;
  const laterThan = async (expr: string, seconds: number): Promise<boolean> =>
    (await query(`timestamp(${expr}) > ${seconds}`)).length > 0;

  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await until(async () => child.exitCode !== null || (await isReady()), "Prometheus is ready", 60_000);
  if (child.exitCode !== null) throw new Error(`Prometheus did not start: ${output}`);

  return {
    query,
    queryRange: async (expr, { seconds, step }) => {
      const now = Date.now() / 1000;
      const fields = { query: expr, start: `${now - seconds}`, end: `${now}`, step: `${step}` };
      return (await ask<{ result: Series[] }>("/api/v1/query_range", fields)).result;
    },
    isDescribed: async (name) => name in (await ask<Record<string, object>>("/api/v1/metadata", { metric: name })),
    alerts: async () => (await ask<{ alerts: FiringAlert[] }>("/api/v1/alerts")).alerts,
    scraped: async () => {
      const nowSeconds = Date.now() / 1000;
      await until(() => laterThan('up{job="tollgate"} == 1', nowSeconds), "Prometheus has scraped", 60_000);
      // Two evaluations, since the first may have begun before the scrape.
      await until(
        () => laterThan("job:tollgate_requests:rate5m", nowSeconds + 2 * target.everySeconds),
        "the rules are evaluated",
        60_000,
      );
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
