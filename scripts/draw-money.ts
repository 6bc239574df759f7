/**
 * Draws `docs/explain/money-over-time.svg` and `money-along-a-chain.svg` by running requests through the executable specification
 * of the ledger, so that they show what it does and not what we believe. With `--check` nothing is written: it fails when a picture
 * and the ledger differ.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { moneyAlongAChain } from "./money/along-a-chain.ts";
import { moneyOverTime } from "./money/over-time.ts";

const PICTURES: [path: string, picture: string][] = [
  ["docs/explain/money-over-time.svg", moneyOverTime],
  ["docs/explain/money-along-a-chain.svg", moneyAlongAChain],
];

for (const [path, picture] of PICTURES) {
  const file = join(import.meta.dirname, "..", path);
  if (!process.argv.includes("--check")) {
    writeFileSync(file, picture);
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== picture) {
    process.stderr.write(`${path} is not what the ledger does: run scripts/draw-money.ts\n`);
    process.exitCode = 1;
  }
}
