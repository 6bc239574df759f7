import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../../src/cli/tollgate.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What users read or run: messages and help in the code, pages, deployment files. */
const FILES = [
  "*.md",
  "{docs,changes,examples}/**/*.md",
  "{src,build,demo}/**/*.ts",
  "deploy/**/*.{yaml,yml,md,env,service,tpl}",
];
/** `tollgate` as a command: in code marks, at the begin of a line, or behind a colon, a pipe or `--`. */
const NAMED = /(?:`|^|: |\| |-- |\$ )tollgate ([a-z-]+)(?: ([a-z-]+))?(?: ([a-z-]+))?/gm;

const named = globSync(FILES, { cwd: ROOT })
  .filter((file) => !file.endsWith(".test.ts"))
  .flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(NAMED)].map(([, ...words]) => ({
      file,
      words: words.filter((word) => word !== undefined && !word.startsWith("-")),
    })),
  );

/** Whether these words lead to a command or to a group of them. What stands behind a command is for it to read. */
function leadsSomewhere(command: Command, [word, ...rest]: readonly string[]): boolean {
  if (word === undefined || command.commands.length === 0) return true;
  const next = command.commands.find((one) => one.name() === word);
  return next !== undefined && leadsSomewhere(next, rest);
}

test("every command that a message, a page or a deployment file names exists", async () => {
  const program = await createProgram("");

  expect(leadsSomewhere(program, ["people", "invent"])).toBe(false);
  expect(named.length).toBeGreaterThan(400);
  expect(new Set(named.map(({ words }) => words[0])).size).toBeGreaterThan(20);
  expect(
    named
      .filter(({ words }) => !leadsSomewhere(program, words))
      .map(({ file, words }) => `${file}: ${words.join(" ")}`),
  ).toEqual([]);
});
