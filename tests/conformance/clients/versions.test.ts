import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GO_MODULES, PACKAGES, PYTHON_PACKAGES } from "./versions.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

test("the page of clients lists exactly the versions that are tested", () => {
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  const inProject = ["openai", "@anthropic-ai/sdk"].map((name) => [name, devDependencies[name] ?? "none"]);
  const outside = [...Object.values(PACKAGES), ...Object.values(PYTHON_PACKAGES), GO_MODULES].flatMap(
    (packages): [string, string][] => Object.entries(packages),
  );
  const tested = [...inProject, ...outside].map(([name, version]) => `${name} ${version}`);

  const rows = [...read("docs/reference/clients.md").matchAll(/^\| `([^`]+)`(?: \(\w+\))? \| (v?\d+\.\d+\.\d+) \|/gm)];

  expect(rows.map(([, name, version]) => `${name} ${version}`).toSorted()).toEqual(tested.toSorted());
});
