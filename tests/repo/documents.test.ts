import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const documents = globSync(["*.md", "docs/**/*.md", "changes/*.md", "examples/**/*.md"], { cwd: ROOT });

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

/** The anchors that a page's headings have, as a forge makes them. */
const anchorsOf = (markdown: string): Set<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

test("every link to a heading leads to one", () => {
  const broken = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?![a-z]+:)([^)#\s]*\.md|)#([^)\s]+)\)/g)]
      .filter(([, target = "", anchor = ""]) => {
        const page = target === "" ? document : join(dirname(document), target);
        return !existsSync(join(ROOT, page)) || !anchorsOf(read(page)).has(anchor);
      })
      .map(([link]) => `${document}: ${link}`),
  );

  expect(broken).toEqual([]);
});

test("every page of the documentation opens with the readers it is for", () => {
  const role = "(operators|key holders|team leads|deployers|contributors)";
  const opening = new RegExp(`^# .+\\n\\nFor (${role}, )*(${role} and )?${role}\\b.* who .+\\.\\n\\n`);
  const pages = documents.filter((document) => document.startsWith("docs/"));

  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter((page) => !opening.test(read(page)))).toEqual([]);
});

test("every page of the documentation can be reached from the README by links", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    for (const target of linksOf(read(page))) {
      const linked = normalize(join(dirname(page), target));
      if (linked.endsWith(".md") && existsSync(join(ROOT, linked))) reached.add(linked);
    }
  }

  expect(documents.filter((document) => document.startsWith("docs/") && !reached.has(document))).toEqual([]);
});

test("every link in a document of the package leads to a file of the package", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] };
  const isPacked = (path: string): boolean => files.some((entry) => path === entry || path.startsWith(`${entry}/`));
  const packed = documents.filter(isPacked);
  const outside = packed.flatMap((document) =>
    linksOf(read(document))
      .map((target) => normalize(join(dirname(document), target)).replace(/\/$/, ""))
      .filter((target) => !isPacked(target))
      .map((target) => `${document}: ${target}`),
  );

  expect(packed.length).toBeGreaterThan(2);
  expect(outside).toEqual([]);
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
