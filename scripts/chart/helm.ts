import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { installGoCommand } from "../../tests/support/go-module.ts";
import { CHART, KUBERNETES } from "./chart-files.ts";

const VERSION = "v3.22.0";
const BUILD_TIMEOUT_MS = 1_200_000;
const VERSION_FLAG = ["--kube-version", KUBERNETES[1]];

type Ran = { ok: boolean; output: string };

export type Helm = {
  lint: (values: string) => Ran;
  /** Further words are those of `helm template`, such as `--set`. */
  render: (values: string, ...words: string[]) => Ran;
  /** What helm prints after it has installed the chart. */
  notes: (values: string) => string;
};

/** Helm is not packaged for Debian; it is built once, in two to three minutes. */
export async function openHelm(): Promise<Helm> {
  const { folder, missing } = await installGoCommand({
    name: "helm",
    path: "helm.sh/helm/v3/cmd/helm",
    version: VERSION,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (folder === null) throw new Error(`Helm ${VERSION} cannot be built here: ${missing}`);
  const run = (...words: string[]): Ran => {
    const { status, stdout, stderr } = spawnSync(join(folder, "helm"), words, { encoding: "utf8" });
    return status === 0 ? { ok: true, output: stdout } : { ok: false, output: stdout + stderr };
  };
  const template = (chart: string, values: string, ...words: string[]): Ran =>
    run("template", "tollgate", chart, "--namespace", "models", ...VERSION_FLAG, "-f", fileOf(values), ...words);

  return {
    lint: (values) => run("lint", "--strict", CHART, ...VERSION_FLAG, "-f", fileOf(values)),
    render: (values, ...words) => template(CHART, values, ...words),
    notes: (values) => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-notes-"));
      try {
        cpSync(CHART, folder, { recursive: true });
        // Helm shows notes only after it has spoken to a cluster.
        renameSync(join(folder, "templates/NOTES.txt"), join(folder, "NOTES.txt"));
        writeFileSync(join(folder, "templates/notes.yaml"), 'notes: {{ tpl (.Files.Get "NOTES.txt") . | toJson }}\n');
        const { ok, output } = template(folder, values, "--show-only", "templates/notes.yaml");
        if (!ok) throw new Error(output);
        return (parse(output) as { notes: string }).notes;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

const fileOf = (values: string): string => join(CHART, "ci", `${values}.yaml`);
