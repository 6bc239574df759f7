import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const documents = globSync(["*.md", "docs/**/*.md", "changes/*.md"], { cwd: ROOT });

/** Targets of Markdown links that point into the repository, without their anchors. */
const linksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, target]) => target ?? "");

test("every link between documents leads to a file", () => {
  const broken = documents.flatMap((document) =>
    linksOf(read(document))
      .filter((target) => !existsSync(join(ROOT, dirname(document), target)))
      .map((target) => `${document}: ${target}`),
  );

  expect(documents.length).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});

test("every runtime dependency has a row that says its job and its home, and no row outlives its dependency", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const rows = [
    ...read("docs/decisions/0006-dependencies-are-guests.md").matchAll(/^\| `([^`]+)` \| .+ \| `.+` \| .+ \|$/gm),
  ];

  expect(new Set(rows.map(([, name]) => name))).toEqual(new Set(Object.keys(dependencies)));
});

test("every decision page stands in the index and has the four headings", () => {
  const pages = globSync("docs/decisions/0*.md", { cwd: ROOT });
  const index = read("docs/decisions/README.md");

  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) {
    expect(index, page).toContain(`](${page.slice("docs/decisions/".length)})`);
    expect(read(page).match(/^## .+$/gm), page).toEqual([
      "## Context",
      "## Decision",
      "## Consequences",
      "## What would change our mind",
    ]);
  }
});
