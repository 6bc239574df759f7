/** Writes the Grafana dashboards from their description. With `--check` nothing is written: it names the stale files, and fails. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grafanaJson } from "./dashboards/board.ts";
import { money } from "./dashboards/money.ts";
import { oneKey } from "./dashboards/one-key.ts";
import { overview } from "./dashboards/overview.ts";
import { providers } from "./dashboards/providers.ts";

const FOLDER = join(import.meta.dirname, "../deploy/grafana/dashboards");
const BOARDS = [overview, money, providers, oneKey];

mkdirSync(FOLDER, { recursive: true });
for (const board of BOARDS) {
  const path = join(FOLDER, `${board.uid}.json`);
  const text = `${JSON.stringify(grafanaJson(board), null, 2)}\n`;
  if (contentOf(path) === text) continue;
  if (process.argv.includes("--check")) {
    console.error(`deploy/grafana/dashboards/${board.uid}.json is stale; run scripts/write-dashboards.ts`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote deploy/grafana/dashboards/${board.uid}.json`);
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
