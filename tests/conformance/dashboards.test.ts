import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { whyUnavailable } from "../support/postgres.ts";
import { whyNoPrometheus } from "../support/prometheus-process.ts";
import { startWatchedGateway, type WatchedGateway } from "../support/watched-gateway.ts";

const ROOT = join(import.meta.dirname, "../..");
const missing = whyUnavailable("15") ?? whyNoPrometheus();

type Dashboard = {
  title: string;
  templating: { list: { name: string; type: string; definition?: string }[] };
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
};
const dashboards = globSync("deploy/grafana/dashboards/*.json", { cwd: ROOT }).map(
  (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Dashboard,
);
type Rules = { groups: { rules: { alert?: string; expr: string }[] }[] };
const rules = parse(readFileSync(join(ROOT, "deploy/prometheus/rules/tollgate.rules.yml"), "utf8")) as Rules;

/** A metric with its labels, as it stands in a query. */
const SELECTOR = /(?<![\w:])(?:up|ALERTS|[a-z_]*:?tollgate_\w+(?::\w+)?|(?:nodejs|process)_\w+)(?:\{[^}]*\})?/g;

/** Series of what an installation without standbys, rights or settings does not have. */
const NOT_EVERYWHERE: ReadonlySet<string> = new Set([
  "tollgate_database_standbys_confirming",
  "tollgate_database_standbys_to_spare",
  "tollgate_database_standbys_spare_named",
  "tollgate_database_wal_bytes",
  "tollgate_database_disk_bytes",
  "tollgate_certificate_expires_timestamp_seconds",
  "tollgate_certificate_lifetime_seconds",
]);

describe.skipIf(missing !== null)(
  `on a Prometheus that scraped a gateway under load${missing ? ` (skipped: ${missing})` : ""}`,
  () => {
    let watched: WatchedGateway;
    beforeAll(async () => {
      watched = await startWatchedGateway(1);
      for (const times of [4, 8]) {
        await Promise.all([watched.succeed(times), watched.fail()]);
        await watched.prometheus.scraped();
      }
    });
    afterAll(() => watched?.stop());

    /** A query as Grafana would send it for this gateway and its busiest key. */
    const filledIn = (expr: string): string =>
      expr
        .replaceAll("$__rate_interval", "1m")
        .replaceAll("$__range", "5m")
        .replaceAll("$job", "tollgate")
        .replaceAll("$instance", ".*")
        .replaceAll("$provider", ".*")
        .replaceAll("$key", watched.prefixes.rich);

    /** The queries of a list that fail or have no result, each with what asked it. */
    async function withoutResult(queries: readonly { of: string; expr: string }[]): Promise<string[]> {
      // A scrape that a busy machine did not finish leaves no gauges until the next.
      for (let tries = 0; tries < 3; tries++) {
        if ((await failuresOf(queries)).length === 0) return [];
        await watched.prometheus.scraped();
      }
      return failuresOf(queries);
    }

    async function failuresOf(queries: readonly { of: string; expr: string }[]): Promise<string[]> {
      const empty: string[] = [];
      for (const { of, expr } of queries) {
        const results = await watched.prometheus.query(filledIn(expr)).catch((error: Error) => error.message);
        if (typeof results === "string") empty.push(`${of}: ${results}`);
        else if (results.every(({ value: [, value] }) => value === "NaN")) empty.push(`${of}: nothing for ${expr}`);
      }
      return empty;
    }

    test("the load had good and bad responses of every kind", () => {
      expect([...watched.statuses]).toEqual(expect.arrayContaining([200, 401, 402, 429, 502]));
    });

    test("every panel of every dashboard has a result", async () => {
      const queries = dashboards.flatMap(({ title, panels }) =>
        panels.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => ({ of: `${title}: ${panel.title}`, expr }))),
      );

      expect(queries.length).toBeGreaterThan(50);
      expect(await withoutResult(queries)).toEqual([]);
    });

    test("every variable of every dashboard has values", async () => {
      const queries = dashboards.flatMap(({ title, templating }) =>
        templating.list.flatMap(({ name, type, definition = "" }) => {
          const [, selector = "", label = ""] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
          return type === "query" ? [{ of: `${title}: $${name}`, expr: `count by (${label}) (${selector})` }] : [];
        }),
      );

      expect(queries.length).toBeGreaterThan(8);
      expect(await withoutResult(queries)).toEqual([]);
    });

    test("every rule is evaluated, and every series that a rule reads exists", async () => {
      const all = rules.groups.flatMap((group) => group.rules);
      const selectors = [...new Set(all.flatMap(({ expr }) => [...expr.matchAll(SELECTOR)].map(([name]) => name)))];

      for (const { expr } of all) await watched.prometheus.query(expr);
      expect(selectors.length).toBeGreaterThan(30);
      const usual = selectors.filter((expr) => !NOT_EVERYWHERE.has(/^\w+/.exec(expr)?.[0] ?? ""));
      expect(await withoutResult(usual.map((expr) => ({ of: "rules", expr })))).toEqual([]);
    });

    test("an estimated charge and a rejected credential fire at once, in words with numbers", async () => {
      const alerts = (await watched.prometheus.alerts()).filter(({ state }) => state === "firing");
      const described = (name: string) =>
        alerts.find(({ labels }) => labels["alertname"] === name)?.annotations["description"];

      expect(described("TollgateMoneyAlarm")).toMatch(
        /^Money alarms of the kind usage_estimated on 127\S+ in 15 minutes: \d/,
      );
      expect(described("TollgateCredentialRefused")).toMatch(
        /^Calls to locked that failed with credential_refused .*: \d/,
      );
    });
  },
);
