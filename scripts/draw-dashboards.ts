/**
 * Draws the dashboards for docs/operate/monitoring.md: runs a gateway on PostgreSQL under load, a third of the time with providers
 * that fail, and draws what Prometheus answers to the panels' queries. `--seconds N`, 180 unless told; `--into DIR`.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startWatchedGateway, type WatchedGateway } from "../tests/support/watched-gateway.ts";
import { drawDashboard, type Line, type PanelJson } from "./dashboards/picture.ts";

const { values: options } = parseArgs({
  options: { seconds: { type: "string", default: "180" }, into: { type: "string" } },
});
const ROOT = join(import.meta.dirname, "..");
const folder = options.into ?? join(ROOT, "docs/operate");
const seconds = Number(options.seconds);
const POINTS = 90;
const RATE_WINDOW = "20s";
/** Rarer than in tests, so that no scrape is cut on a busy machine. */
const SCRAPE_SECONDS = 5;

const watched = await startWatchedGateway(SCRAPE_SECONDS);
try {
  await carryLoad(watched);
  mkdirSync(folder, { recursive: true });
  for (const path of globSync("deploy/grafana/dashboards/*.json", { cwd: ROOT })) {
    const board = JSON.parse(readFileSync(join(ROOT, path), "utf8")) as {
      uid: string;
      title: string;
      panels: PanelJson[];
    };
    const panels = await Promise.all(board.panels.map(async (panel) => ({ panel, lines: await linesOf(panel) })));
    const about = `${seconds} seconds of a gateway under load; its providers fail from second ${Math.round(seconds / 3)} to ${Math.round((2 * seconds) / 3)}. Drawn from the panels' queries, not by Grafana.`;
    writeFileSync(join(folder, `${board.uid}.svg`), drawDashboard(board.title, about, panels));
    console.log(`drew ${board.uid}.svg`);
  }
} finally {
  await watched.stop();
}

/** A wave of good requests all the time, and bad ones in the middle third. */
async function carryLoad({ succeed, fail }: WatchedGateway): Promise<void> {
  const begunAt = performance.now();
  for (let share = 0; share < 1; share = (performance.now() - begunAt) / 1000 / seconds) {
    const isBad = share > 1 / 3 && share < 2 / 3;
    const wave = Math.round(2 + 1.5 * Math.sin(share * 12));
    await Promise.all([succeed(wave), isBad ? fail() : null, sleep(700)]);
  }
}

async function linesOf({ targets = [] }: PanelJson): Promise<Line[]> {
  const step = seconds / POINTS;
  const endAt = Date.now() / 1000;
  const results = await Promise.all(
    targets.map(async ({ expr, legendFormat }) => {
      const series = await watched.prometheus.queryRange(filledIn(expr), { seconds, step });
      return series.map(({ metric: labels, values }): Line => {
        const at = new Map(values.map(([time, value]) => [Math.round((endAt - time) / step), Number(value)]));
        return {
          name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? ""),
          labels,
          values: Array.from({ length: POINTS }, (_, index) => finite(at.get(POINTS - 1 - index))),
        };
      });
    }),
  );
  return results.flat();
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function filledIn(expr: string): string {
  return expr
    .replaceAll("$__rate_interval", RATE_WINDOW)
    .replaceAll("$__range", `${seconds}s`)
    .replaceAll("$job", "tollgate")
    .replaceAll("$instance", ".*")
    .replaceAll("$provider", ".*")
    .replaceAll("$key", watched.prefixes.rich);
}
