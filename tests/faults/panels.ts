/**
 * Puts two gateways under traffic of every kind, has a Prometheus scrape them with the path and the labels of the chart's ServiceMonitor,
 * and asks for everything that the chart's dashboards and rules ask for. Exits with 1 where a query fails or has no series without a reason.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { manifestsOf, RENDERED } from "../../scripts/chart/chart-files.ts";
import { whyUnavailable } from "../support/postgres-binaries.ts";
import { whyNoPrometheus } from "../support/prometheus-process.ts";
import { scrapedTarget } from "../support/scraped-target.ts";
import { startWatchedGateway, type WatchedGateway } from "../support/watched-gateway.ts";

const FILES = join(import.meta.dirname, "../../deploy/helm/tollgate/files");
const GATEWAYS = 2;
const ROUNDS = [4, 8, 8];

/** Metrics that a pod of the chart does not have, and why. */
const NOT_OF_A_POD: Readonly<Record<string, string>> = {
  tollgate_workers: "only /metrics/all has it, and a pod of the chart has one process",
  tollgate_workers_answered: "only /metrics/all has it, and a pod of the chart has one process",
};

/** Metrics without a series here, and why. Each must be described in what is scraped all the same. */
const NONE_HERE: Readonly<Record<string, string>> = {
  tollgate_database_standbys_to_spare: "the database has no standby",
  tollgate_database_standbys_spare_named: "the database has no standby",
  tollgate_database_wal_bytes: "the role may not read the size of the WAL",
  tollgate_database_disk_bytes: "database.disk_bytes is not set",
  tollgate_certificate_expires_timestamp_seconds: "no connection here has TLS",
  tollgate_certificate_lifetime_seconds: "no connection here has TLS",
};

/** A metric with its labels, as it stands in a query. */
const SELECTOR = /(?<![\w:])(?:up|ALERTS|[a-z_]*:?tollgate_\w+(?::\w+)?|(?:nodejs|process)_\w+)(?:\{[^}]*\})?/g;

type Dashboard = {
  title: string;
  templating: { list: { name: string; type: string; definition?: string }[] };
  panels: { title: string; targets?: { expr: string }[] }[];
};
type Rules = { groups: { rules: { alert?: string; record?: string; expr: string }[] }[] };
type Asked = { of: string; expr: string };

const missing = whyUnavailable("15") ?? whyNoPrometheus();
if (missing === null) process.exitCode = await main();
else {
  console.log(`not run: ${missing}`);
  process.exitCode = 3;
}

async function main(): Promise<number> {
  const target = scrapedTarget(manifestsOf(readFileSync(join(RENDERED, "production.yaml"), "utf8")));
  const labelsOf = (index: number): Record<string, string> => ({
    ...target,
    pod: `${target["pod"]}${index}`,
    instance: `10.244.1.${17 + index}:8081`,
  });
  const watched = await startWatchedGateway(1, { gateways: GATEWAYS, path: "/metrics", labelsOf });
  try {
    for (const times of ROUNDS) {
      await Promise.all([watched.succeed(times), watched.fail()]);
      await watched.prometheus.scraped();
    }
    return await examine(watched);
  } finally {
    await watched.stop();
  }
}

async function examine({ prometheus, prefixes }: WatchedGateway): Promise<number> {
  const dashboards = globSync("dashboards/*.json", { cwd: FILES }).map(
    (path) => JSON.parse(readFileSync(join(FILES, path), "utf8")) as Dashboard,
  );
  const { groups } = parse(readFileSync(join(FILES, "tollgate.rules.yml"), "utf8")) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  const filledIn = (expr: string): string =>
    expr
      .replaceAll("$__rate_interval", "1m")
      .replaceAll("$__range", "5m")
      .replaceAll("$job", "tollgate")
      .replaceAll("$instance", ".*")
      .replaceAll("$provider", ".*")
      .replaceAll("$key", prefixes.rich);
  const hasSeries = async (expr: string): Promise<boolean> =>
    (await prometheus.query(filledIn(expr))).some(({ value: [, value] }) => value !== "NaN");

  const panels = dashboards.flatMap(({ title, panels: shown }) =>
    shown.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }): Asked => ({ of: `${title}: ${panel.title}`, expr })),
    ),
  );
  const variables = dashboards.flatMap(({ title, templating }) =>
    templating.list.flatMap(({ name, type, definition = "" }): Asked[] => {
      const [, selector = "", label = ""] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
      return type === "query" ? [{ of: `${title}: $${name}`, expr: `count by (${label}) (${selector})` }] : [];
    }),
  );
  const recorded = rules.flatMap(({ record }): Asked[] =>
    record === undefined ? [] : [{ of: "rules", expr: record }],
  );
  const selectors = [...new Set(rules.flatMap(({ expr }) => [...expr.matchAll(SELECTOR)].map(([name]) => name)))];
  const read = selectors.map((expr): Asked => ({ of: "series of the rules", expr }));
  for (const { expr } of rules) await prometheus.query(expr);

  let faults = 0;
  for (const name of Object.keys(NONE_HERE))
    if (!(await prometheus.isDescribed(name))) {
      faults += 1;
      console.log(`EMPTY  ${name} is not in what is scraped`);
    }
  for (const [kind, asked] of Object.entries({ panels, variables, recorded, read })) {
    const empty: Asked[] = [];
    for (const one of asked) if (!(await hasSeries(one.expr))) empty.push(one);
    console.log(`${kind}: ${asked.length} queries, ${empty.length} without a series`);
    for (const { of, expr } of empty) {
      const names = [...expr.matchAll(SELECTOR)].map(([name]) => /^\w+(?::\w+)*/.exec(name)?.[0] ?? name);
      const reason = names.map((name) => NONE_HERE[name] ?? NOT_OF_A_POD[name]).find((one) => one !== undefined);
      if (reason === undefined) faults += 1;
      console.log(
        `  ${reason === undefined ? "EMPTY" : "none "}  ${of}: ${expr.replaceAll(/\s+/g, " ")}${reason === undefined ? "" : ` (${reason})`}`,
      );
    }
  }
  return faults === 0 ? 0 : 1;
}
