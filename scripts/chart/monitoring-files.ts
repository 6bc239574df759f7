import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CHART } from "./chart-files.ts";

const DEPLOY = join(CHART, "../..");
const RULES = "prometheus/rules/tollgate.rules.yml";

/** What the chart carries of `deploy/prometheus` and `deploy/grafana`, by its path in the chart. Dashboards are on one line each. */
export function monitoringFiles(): Map<string, string> {
  const files = new Map([["files/tollgate.rules.yml", readFileSync(join(DEPLOY, RULES), "utf8")]]);
  for (const path of globSync("grafana/dashboards/*.json", { cwd: DEPLOY }).toSorted()) {
    const dashboard: unknown = JSON.parse(readFileSync(join(DEPLOY, path), "utf8"));
    files.set(`files/dashboards/${basename(path)}`, `${JSON.stringify(dashboard)}\n`);
  }
  return files;
}

/** The files that the chart lacks, has with another content, or has too many of. */
export function staleMonitoringFiles(): string[] {
  const files = monitoringFiles();
  const kept = globSync("files/**/*.{yml,json}", { cwd: CHART });
  return [...new Set([...files.keys(), ...kept])]
    .filter((path) => !kept.includes(path) || readFileSync(join(CHART, path), "utf8") !== files.get(path))
    .toSorted();
}
