import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
export const CHART = join(ROOT, "deploy/helm/tollgate");
export const RENDERED = join(ROOT, "deploy/helm/rendered");
/** The oldest Kubernetes the chart claims, and the newest whose schemas are at hand. */
export const KUBERNETES = ["1.27", "1.37"] as const;

/** Value sets that use what came later than the oldest version. */
export const NEEDS_NEWER = new Set(["sidecars"]);

/** The value sets the chart is rendered for, by their names. */
export const valueSets = (): string[] =>
  globSync("ci/*.yaml", { cwd: CHART })
    .map((path) => path.slice("ci/".length, -".yaml".length))
    .toSorted();

/** Of everything that decides what is rendered. The schema only says which values are refused. */
export function chartDigest(): string {
  const hash = createHash("sha256");
  const files = globSync(["**/*.{yaml,tpl,txt}", "files/**/*.{yml,json}"], { cwd: CHART }).toSorted();
  for (const path of files)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(CHART, path)))
      .update("\0");
  return hash.digest("hex");
}

export const heading = (digest: string): string =>
  `# Written by \`npm run chart -- --write\` from the chart with SHA-256 ${digest}\n`;

export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, unknown>;

export const manifestsOf = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
