import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** The header with a value, in code that writes headers. The simulator writes those of a provider; a schema describes them. */
const WRITTEN =
  /(?:"retry-after":\s*|\["retry-after"\]\s*=(?!=)\s*|etHeader\("retry-after",\s*)(?!retryAfter\()[^{\s].*/gi;

const writtenIn = (text: string): string[] => [...text.matchAll(WRITTEN)].map(([found]) => found);

test("every `Retry-After` of ours gets its value from one function, which bounds it [HDR-5]", () => {
  const files = globSync("{src,demo}/**/*.ts", { cwd: ROOT }).filter(
    (path) => !/\.test\.ts$|^src\/simulator\//.test(path),
  );
  const others = files.flatMap((path) =>
    writtenIn(readFileSync(join(ROOT, path), "utf8")).map((found) => `${path}: ${found}`),
  );

  expect(files.length).toBeGreaterThan(500);
  expect(others).toEqual([]);
});

test.each(['{ "retry-after": "5" }', 'headers["retry-after"] = String(seconds);', 'setHeader("Retry-After", 5)'])(
  "a value from elsewhere is seen: %s",
  (line) => {
    expect(writtenIn(line)).toHaveLength(1);
  },
);
