/** Writes the rules and dashboards into the chart, which can only read its own folder. With `--check` nothing is written: it names the stale files, and fails. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHART } from "./chart/chart-files.ts";
import { monitoringFiles, staleMonitoringFiles } from "./chart/monitoring-files.ts";

for (const path of staleMonitoringFiles()) {
  if (process.argv.includes("--check")) {
    console.error(`deploy/helm/tollgate/${path} is stale; run scripts/write-chart-files.ts`);
    process.exitCode = 1;
    continue;
  }
  const text = monitoringFiles().get(path);
  const file = join(CHART, path);
  mkdirSync(dirname(file), { recursive: true });
  if (text === undefined) rmSync(file);
  else writeFileSync(file, text);
  console.log(`wrote deploy/helm/tollgate/${path}`);
}
