import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { manifestsOf, RENDERED } from "../../scripts/chart/chart-files.ts";
import { scrapedTarget } from "../support/scraped-target.ts";

const RULES = join(import.meta.dirname, "../../deploy/prometheus/rules/tollgate.rules.yml");
const isMissing = spawnSync("promtool", ["--version"]).error !== undefined;
const folder = mkdtempSync(join(tmpdir(), "tollgate-chart-rules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Labels = Record<string, string>;

const inBraces = (labels: Labels): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`;

type More = { series?: Record<string, string>; minutes?: number };

/** Asks promtool which of all alerts fire after so many minutes in which `up` of the target, and further series of it, had these values. */
function promtool(
  target: Labels,
  up: string | null,
  firing: object[],
  { series: further = {}, minutes = 10 }: More = {},
) {
  const file = join(folder, "tests.yml");
  const expected = firing.map((labels) => ({ labels: inBraces({ alertstate: "firing", ...labels }), value: 1 }));
  const alerts = {
    expr: 'count by (alertname, alertstate, job, instance, pod) (ALERTS{alertstate="firing"})',
    eval_time: `${minutes}m`,
    exp_samples: expected,
  };
  const series = Object.entries(up === null ? further : { up, ...further }).map(([name, values]) => ({
    series: name.includes("{") ? name.replace("}", `,${inBraces(target).slice(1)}`) : `${name}${inBraces(target)}`,
    values,
  }));
  const content = {
    rule_files: [RULES],
    evaluation_interval: "1m",
    tests: [{ interval: "1m", input_series: series, promql_expr_test: [alerts] }],
  };
  writeFileSync(file, stringify(content));
  const { stdout, stderr } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" });
  return stdout + stderr;
}

/** Alerts about what all pods see alike, with the series that make it fire. */
const OF_THE_DATABASE: [alert: string, series: Record<string, string>, minutes: number][] = [
  [
    "TollgateStandbyLost",
    { tollgate_database_standbys_needed: "1x10", tollgate_database_standbys_confirming: "0x10" },
    10,
  ],
  [
    "TollgateStandbySpareMissing",
    { tollgate_database_standbys_spare_named: "1x12", tollgate_database_standbys_to_spare: "0x12" },
    12,
  ],
  [
    "TollgateDatabaseDiskNearlyFull",
    { tollgate_database_tablespaces_bytes: "95x12", tollgate_database_disk_bytes: "100x12" },
    12,
  ],
  [
    "TollgateCertificateEnds",
    {
      'tollgate_certificate_expires_timestamp_seconds{used_for="database"}': "100000x20",
      'tollgate_certificate_lifetime_seconds{used_for="database"}': "7776000x20",
    },
    20,
  ],
  [
    // A fifth is taken, and another each half day.
    "TollgateDatabaseDiskFills",
    { tollgate_database_tablespaces_bytes: "20+0.03x80", tollgate_database_disk_bytes: "100x80" },
    80,
  ],
  [
    "TollgateCertificateEndsSoon",
    {
      'tollgate_certificate_expires_timestamp_seconds{used_for="database"}': "1000000x80",
      'tollgate_certificate_lifetime_seconds{used_for="database"}': "7776000x80",
    },
    80,
  ],
  ["TollgateSlotHoldsWal", { tollgate_database_slots_beyond_limit: "1x20" }, 20],
  ["TollgateProviderSlow", { 'tollgate_route_slow{provider="p",upstream_model="m",route="r"}': "1x10" }, 10],
];

/** Alerts about what a pod sees of itself. */
const OF_A_POD: typeof OF_THE_DATABASE = [
  [
    "TollgateClockDrift",
    { tollgate_database_clock_ahead_seconds: "-3x12", tollgate_database_clock_uncertainty_seconds: "0.01x12" },
    12,
  ],
  [
    // Not for so long that the clock has drifted, too, for ten minutes.
    "TollgateClockFarOff",
    { tollgate_database_clock_ahead_seconds: "2000x3", tollgate_database_clock_uncertainty_seconds: "0.01x3" },
    3,
  ],
  ["TollgateOpenFilesExhausted", { tollgate_open_files_exhausted_total: "0 5x9" }, 10],
];

describe.skipIf(isMissing)("promtool (skipped where it is not installed: apt-get install prometheus)", () => {
  describe.each(["production", "autoscaled"])("with the labels of the chart rendered for %s", (set) => {
    const target = scrapedTarget(manifestsOf(readFileSync(join(RENDERED, `${set}.yaml`), "utf8")));
    const { job = "", instance = "", pod = "" } = target;

    test("no alert fires while a pod is scraped", () => {
      expect(promtool(target, "1x10", [])).toContain("SUCCESS");
    });

    test("TollgateDown fires when a pod cannot be scraped, and TollgateAbsent does not", () => {
      expect(promtool(target, "0x10", [{ alertname: "TollgateDown", job, instance, pod }])).toContain("SUCCESS");
    });

    test.each(OF_THE_DATABASE)("%s fires once for all pods, and nothing else does", (alertname, series, minutes) => {
      const fired = promtool(target, `1x${minutes}`, [{ alertname, job }], { series, minutes });
      expect(fired).toContain("SUCCESS");
    });

    test.each(OF_A_POD)("%s fires for the pod, and nothing else does", (alertname, series, minutes) => {
      const fired = promtool(target, `1x${minutes}`, [{ alertname, job, instance, pod }], { series, minutes });
      expect(fired).toContain("SUCCESS");
    });

    test("TollgateAbsent fires when there is no pod", () => {
      expect(promtool(target, null, [{ alertname: "TollgateAbsent", job: "tollgate" }])).toContain("SUCCESS");
    });
  });
});
