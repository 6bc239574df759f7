import { globSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commandsOf, type Fence, fencesOf, isRunnable } from "../support/fenced/fences.ts";
import { STAGES } from "../support/fenced/pages.ts";
import { runSession, SESSION_TIMEOUT_MS } from "../support/fenced/session.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE_TIMEOUT_MS = 2 * SESSION_TIMEOUT_MS;
const PAGES = ["README.md", ...globSync(["docs/{start,guides}/*.md", "examples/*/README.md"], { cwd: ROOT })];

const counted = { ran: 0, notRun: 0 };
const count = (fences: readonly Fence[]): number => fences.reduce((sum, fence) => sum + commandsOf(fence).length, 0);
const toRun = (page: string): Fence[] =>
  fencesOf(page).filter(
    ({ file, printedBy, notRun, language }) =>
      file !== null || printedBy !== null || (isRunnable({ language }) && notRun === null),
  );

/**
 * Pages with commands of their own. The README shows those of a start page, which are not run twice. In the order of the stages, of which
 * the first takes longest: it installs a clone.
 */
const staged = Object.keys(STAGES).filter((page) => PAGES.includes(page));
const elsewhere = new Set(staged.flatMap(toRun).map(({ text }) => text));

describe.concurrent("every fenced command of a page ends with success", () => {
  test.for(staged)("%s", { timeout: PAGE_TIMEOUT_MS }, async (page, { skip }) => {
    const stage = await STAGES[page]?.();
    if (stage === undefined) throw new Error(`nothing is said of what ${page} needs`);
    if ("missing" in stage) {
      skip(stage.missing);
      return;
    }
    const fences = toRun(page);
    try {
      const { ran, failure } = await runSession(fences, stage);
      counted.ran += ran;

      expect(failure).toBeNull();
      expect(ran).toBe(count(fences.filter(({ file, printedBy }) => file === null && printedBy === null)));
    } finally {
      await stage.close();
    }
  });
});

test("a command on another page is one of those that are run, or says why it is not", () => {
  const others = PAGES.filter((page) => !(page in STAGES)).flatMap(toRun);
  counted.ran += count(others.filter(({ text }) => elsewhere.has(text)));

  expect(others.filter(({ text }) => !elsewhere.has(text)).map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test("a file that a page has its reader save is used by a later command of the page", () => {
  const unused = staged.flatMap((page) =>
    toRun(page).filter(
      ({ file, line }) => file !== null && !toRun(page).some((later) => later.line > line && later.text.includes(file)),
    ),
  );

  expect(unused.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

afterAll(() => {
  counted.notRun = count(PAGES.flatMap(fencesOf).filter((fence) => isRunnable(fence) && fence.notRun !== null));
  console.log(`fenced commands: ${counted.ran} run, ${counted.notRun} not run`);
});
