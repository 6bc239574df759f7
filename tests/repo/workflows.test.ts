import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

type Step = { uses?: string; run?: string };
type Workflow = { permissions?: object; jobs: Record<string, { permissions?: Record<string, string>; steps: Step[] }> };

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
const files = globSync(".github/workflows/*.yml", { cwd: ROOT });

test("there is a workflow for every change and one for releases", () => {
  expect(files.toSorted()).toEqual([".github/workflows/ci.yml", ".github/workflows/release.yml"]);
});

describe.each(files)("%s", (file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("every action is pinned to a commit, with the version it is", () => {
    const uses = text.match(/^.*\buses:.*$/gm) ?? [];

    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
  });

  test("every script and file that a step calls exists", () => {
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run])).join("\n");
    const called = [...commands.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = ""]) => name);
    const paths = [...commands.matchAll(/(?<![\w$}/])((?:\.ci|scripts|deploy)\/[\w./-]+)/g)].map(
      ([, path = ""]) => path,
    );

    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(paths.length).toBeGreaterThan(0);
  });

  test("no token can write unless a job asks for it", () => {
    const writing = Object.entries(jobs).flatMap(([name, job]) =>
      Object.entries(job.permissions ?? {}).flatMap(([right, value]) =>
        value === "write" ? [`${name}: ${right}`] : [],
      ),
    );

    expect(Object.values(permissions ?? { all: "write" })).not.toContain("write");
    expect(writing).toEqual(
      file.endsWith("release.yml")
        ? ["package: id-token", "image: packages", "image: id-token", "notes: contents", "notes: id-token"]
        : [],
    );
  });
});
