import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  judge,
  LIST,
  readList,
  toRunAgain,
  whyNeverAgain,
  type Listed,
  type Second,
} from "../../scripts/gate/unstable.ts";
import type { Failure } from "../support/failed-tests.ts";

const ROOT = join(import.meta.dirname, "../..");
const TODAY = "2026-03-10";

const failureOf = (change: Partial<Failure> = {}): Failure => ({
  project: "unit",
  file: "src/relay/relay.test.ts",
  title: "a relay ends",
  messages: ["AssertionError: expected 1 to be 2\n    at src/relay/relay.test.ts:3:1"],
  wrote: "",
  counts: { passed: 4, skipped: 1 },
  ...change,
});
const secondOf = (failure: Failure, passed: boolean, counts = { passed: 1, skipped: 0 }): Second => ({
  failure,
  passed,
  counts,
});
const listedAs = ({ project, file, title }: Failure, firstSeen: string): Listed => ({
  firstSeen,
  project,
  file,
  title,
  plan: "the clock is the machine's; pass one in",
});
const titled = (...titles: string[]): Failure[] => titles.map((title) => failureOf({ title }));

describe("what is run again", () => {
  test.each([
    ["src/ledger/charge.test.ts", "a test of the ledger"],
    ["tests/ledger/model.test.ts", "a test of the ledger"],
    ["src/gateway/generate/settle.test.ts", "a test of the path of a request"],
    ["tests/chaos/burst.test.ts", "a chaos test"],
    ["tests/attack/row.test.ts", "an attack"],
    ["tests/repo/architecture.test.ts", "a test of the import law"],
    ["tests/repo/secret-canary.test.ts", "a test of the search for secrets"],
  ])("a failure of %s is not: %s", (file, why) => {
    const failure = failureOf({ file });

    expect(whyNeverAgain(failure)).toBe(why);
    expect(toRunAgain([failure])).toEqual([]);
  });

  test.each([
    ["a charge is made once [I4]", "it names an invariant"],
    ["a charge follows the rules [L3, I11]", "it names an invariant"],
    ["two charges deadlock", "it names a deadlock"],
    ["a log has no leak", "it names a leak"],
  ])("a failure of “%s” is not: %s", (title, why) => {
    expect(whyNeverAgain(failureOf({ title }))).toBe(why);
  });

  test.each([
    ['expected [ "I5" ] to equal []', "it names an invariant"],
    ["Error: invariant broken: a hold has a key", "it names an invariant"],
    ["error: deadlock detected", "it names a deadlock"],
    ["DatabaseError: code 40P01", "it names a deadlock"],
    ["the canary was found", "it names a leak"],
    ["Error: Property failed after 3 tests", "it found a counterexample"],
  ])("a failure with the message “%s” is not: %s", (message, why) => {
    expect(whyNeverAgain(failureOf({ messages: ["AssertionError: first", message] }))).toBe(why);
  });

  test("any other failure is, also of a file as a whole", () => {
    const failures = [failureOf(), failureOf({ title: "" }), failureOf({ file: "tests/contract/health/200.test.ts" })];

    expect(toRunAgain(failures)).toEqual(failures);
  });

  test("nothing is when more than ten tests failed", () => {
    const failures = Array.from({ length: 11 }, (_, index) => failureOf({ title: `number ${index}` }));

    expect(toRunAgain(failures)).toEqual([]);
    expect(toRunAgain(failures.slice(1))).toHaveLength(10);
  });
});

describe("the verdict", () => {
  test("no failure gives no line", () => {
    expect(judge({ failures: [], second: [], listed: [], today: TODAY })).toEqual({
      lines: [],
      failed: 0,
      more: { passed: 0, skipped: 0 },
      unstable: [],
    });
  });

  test("a test that fails twice has failed", () => {
    const failure = failureOf();

    const { lines, failed, more } = judge({
      failures: [failure],
      second: [secondOf(failure, false)],
      listed: [],
      today: TODAY,
    });

    expect(lines).toEqual([
      "FAILED src/relay/relay.test.ts (unit): a relay ends: AssertionError: expected 1 to be 2, and again when run alone",
    ]);
    expect({ failed, more }).toEqual({ failed: 1, more: { passed: 0, skipped: 0 } });
  });

  test("a test that is never run again has failed, and the line says why", () => {
    const failure = failureOf({ file: "tests/ledger/model.test.ts" });

    const { lines, failed } = judge({ failures: [failure], second: [], listed: [], today: TODAY });

    expect(lines[0]).toMatch(/^FAILED tests\/ledger\/model\.test\.ts .*; not run again: a test of the ledger$/);
    expect(failed).toBe(1);
  });

  test("a test that passes the second time counts as passed, and the line for the list is printed", () => {
    const failure = failureOf({ title: "a | b" });

    const { lines, failed, more, unstable } = judge({
      failures: [failure],
      second: [secondOf(failure, true)],
      listed: [],
      today: TODAY,
    });

    expect(lines).toEqual([
      "UNSTABLE src/relay/relay.test.ts a | b",
      String.raw`  not on the list; add this line to tests/unstable.md: | 2026-03-10 | unit | src/relay/relay.test.ts | a \| b | <reason and plan> |`,
    ]);
    expect({ failed, more, unstable }).toEqual({ failed: 0, more: { passed: 1, skipped: 0 }, unstable: [failure] });
  });

  test("the printed line can be read back from the list", () => {
    const failure = failureOf({ title: "a | b" });
    const { lines } = judge({ failures: [failure], second: [secondOf(failure, true)], listed: [], today: TODAY });
    const row = lines[1]?.slice(lines[1].indexOf("| 2026"));

    expect(readList(`| a |\n|---|\n${row}\n`)).toEqual([{ ...listedAs(failure, TODAY), plan: "<reason and plan>" }]);
  });

  test("a test on the list passes for six days and fails from the seventh", () => {
    const failure = failureOf();
    const judgedOn = (firstSeen: string) =>
      judge({
        failures: [failure],
        second: [secondOf(failure, true)],
        listed: [listedAs(failure, firstSeen)],
        today: TODAY,
      });

    expect(judgedOn("2026-03-04")).toMatchObject({
      failed: 0,
      lines: [
        "UNSTABLE src/relay/relay.test.ts a relay ends",
        "  on the list since 2026-03-04, 6 days: the clock is the machine's; pass one in",
      ],
    });
    expect(judgedOn("2026-03-03")).toMatchObject({
      failed: 1,
      more: { passed: 0 },
      lines: [
        "UNSTABLE src/relay/relay.test.ts a relay ends",
        "  FAILED: on the list since 2026-03-03, 7 days; mend it, 7 days are the limit",
      ],
    });
  });

  test("the same title in another project is another test", () => {
    const failure = failureOf();
    const listed = [{ ...listedAs(failure, "2026-01-01"), project: "contract" }];

    expect(judge({ failures: [failure], second: [secondOf(failure, true)], listed, today: TODAY }).failed).toBe(0);
  });

  test("two unstable tests pass and three fail", () => {
    const failures = titled("one", "two", "three");
    const second = failures.map((failure) => secondOf(failure, true));

    const two = judge({ failures: failures.slice(1), second: second.slice(1), listed: [], today: TODAY });
    const three = judge({ failures, second, listed: [], today: TODAY });

    expect(two).toMatchObject({ failed: 0, more: { passed: 2 } });
    expect(three).toMatchObject({ failed: 3, more: { passed: 0 } });
    expect(three.lines.at(-1)).toBe("FAILED 3 unstable tests; 2 at most");
  });

  test("a failure next to an unstable test still fails the run", () => {
    const [first, other] = titled("one", "two") as [Failure, Failure];

    const { failed, more, lines } = judge({
      failures: [first, other],
      second: [secondOf(first, true), secondOf(other, false)],
      listed: [],
      today: TODAY,
    });

    expect({ failed, more }).toEqual({ failed: 1, more: { passed: 1, skipped: 0 } });
    expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(["FAILED", "UNSTABLE", ""]);
  });

  test("a file that failed by itself counts with the tests of its second run", () => {
    const failure = failureOf({ title: "", counts: { passed: 0, skipped: 5 } });

    const { more, lines } = judge({
      failures: [failure],
      second: [secondOf(failure, true, { passed: 4, skipped: 1 })],
      listed: [],
      today: TODAY,
    });

    expect(more).toEqual({ passed: 4, skipped: -4 });
    expect(lines[0]).toBe("UNSTABLE src/relay/relay.test.ts");
  });
});

describe("the list", () => {
  const listed = readList(readFileSync(join(ROOT, LIST), "utf8"));

  test("every row names a test of this tree, and none that is never run again", () => {
    expect(listed.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(listed.filter((row) => whyNeverAgain(failureOf({ ...row, messages: [] })) !== null)).toEqual([]);
  });

  test("a row that cannot be read is an error", () => {
    const table = "| First seen | Project | File | Title | Reason and plan |\n|---|---|---|---|---|\n";

    expect(readList(table)).toEqual([]);
    expect(() => readList(`${table}| yesterday | unit | a.test.ts | a | b |\n`)).toThrow(/not a row/);
    expect(() => readList(`${table}| 2026-13-01 | unit | a.test.ts | a | b |\n`)).toThrow(/not a row/);
    expect(() => readList(`${table}| 2026-03-01 | unit | a.test.ts | a |  |\n`)).toThrow(/not a row/);
  });
});
