import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseSteps, gateSteps } from "../../scripts/gate/gate-steps.ts";
import { LONG_PARTS, NO_TEST, type Part } from "../../scripts/gate/long-parts.ts";
import { choose, lastTook, notRun, resultOf, tellReport, unfinished } from "../../scripts/gate/long-report.ts";
import { CHAOS_RUNS, GATE_SUITES, LONG_SUITES } from "../../scripts/gate/suites.ts";
import config from "../../vitest.config.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const projects = (config.test?.projects ?? []).map(
  (project) => (project as { test: { name: string; include: string[] } }).test,
);
const partSuites = LONG_PARTS.flatMap(({ run }) => ("suites" in run ? run.suites : []));
const partScripts = LONG_PARTS.flatMap(({ run }) => ("script" in run ? [run] : []));
const stepScripts = gateSteps().flatMap(({ run }) => ("script" in run ? [run.script] : []));

/** The suites that a script such as `npm run contract` runs; null where it is another script. */
function suitesOf(command: string): string[] | null {
  const [, words] = /^scripts\/with-node node scripts\/test\.ts (.+)$/.exec(command) ?? [];
  return words?.split(" ") ?? null;
}

describe("nothing is in neither the gate nor the long run", () => {
  test("every project of Vitest is in one of them, and in full size in the long run", () => {
    const names = projects.map(({ name }) => name);

    expect(new Set<string>([...GATE_SUITES, ...LONG_SUITES])).toEqual(new Set(names));
    expect(names.filter((name) => !partSuites.some((suite) => suite === name))).toEqual([]);
    expect(GATE_SUITES.filter((suite) => names.includes(suite))).toEqual(GATE_SUITES);
  });

  test("every script of package.json is in one of them, or is listed as no test with a reason", () => {
    const inOne = (name: string, command: string): boolean =>
      stepScripts.includes(name) ||
      partScripts.some(({ script }) => script === name) ||
      (suitesOf(command)?.every((suite) => GATE_SUITES.some((one) => one === suite)) ?? false);
    const nowhere = Object.entries(scripts).filter(([name, command]) => !(name in NO_TEST) && !inOne(name, command));
    const both = Object.entries(scripts).filter(([name, command]) => name in NO_TEST && inOne(name, command));

    expect(nowhere).toEqual([]);
    expect(both).toEqual([]);
    expect(Object.values(NO_TEST).filter((reason) => reason.length < 10)).toEqual([]);
  });

  test("every script that a step, a part or the list names exists", () => {
    const named = [...stepScripts, ...partScripts.map(({ script }) => script), ...Object.keys(NO_TEST)];

    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test("every run of chaos by its word is a part of the long run", () => {
    const words = partScripts.flatMap((run) => (run.script === "chaos" ? [run.words?.[0]] : []));

    expect(new Set(words)).toEqual(new Set(Object.keys(CHAOS_RUNS)));
  });

  test("the entry for a clean clone runs the gate and no test of its own", () => {
    const entry = read(".ci/run");

    expect(entry).toMatch(/npm run --silent gate/);
    expect(entry).not.toMatch(/vitest|scripts\/test\.ts|test:all/);
  });

  test("the names of parts and steps are unique", () => {
    for (const names of [LONG_PARTS, gateSteps()].map((list) => list.map(({ name }) => name)))
      expect(new Set(names).size).toBe(names.length);
  });
});

describe("steps of the gate", () => {
  const names = (wishes: { from?: string; only?: string }): string[] =>
    chooseSteps(gateSteps(), wishes).map(({ name }) => name);

  test("all run without a wish, those from one on, or those named", () => {
    expect(names({})).toEqual(["console", "audit", "check", "oldest-node", "tests"]);
    expect(names({ from: "oldest-node" })).toEqual(["oldest-node", "tests"]);
    expect(names({ only: "tests, check" })).toEqual(["check", "tests"]);
  });

  test("an unknown step and two wishes at once are refused", () => {
    expect(() => names({ only: "lint" })).toThrow(/no step is called lint/);
    expect(() => names({ from: "nowhere" })).toThrow(/no step is called nowhere/);
    expect(() => names({ from: "check", only: "tests" })).toThrow(/exclude each other/);
  });
});

describe("parts of the long run", () => {
  const partOf = (name: string, change: Partial<Part> = {}): Part => ({
    name,
    about: "",
    minutes: null,
    needs: [],
    run: { script: name },
    ...change,
  });
  const ended = { code: 0, seconds: 90, output: "one\n\u001B[32mlast line\u001B[0m\n\n", log: "a.log" };
  const [one, two, three] = [partOf("one"), partOf("two"), partOf("three")];

  test("parts are chosen by name, in the order of the list, and an unknown name is refused", () => {
    expect(choose([one, two, three], ["three", "one"])).toEqual([one, three]);
    expect(choose([one, two], [])).toEqual([one, two]);
    expect(() => choose([one], ["four"])).toThrow(/no part is called four/);
  });

  test("a run that goes on leaves out what passed or failed, and tries again what was not run", () => {
    const passed = resultOf(one, ended);
    const failed = resultOf(two, { ...ended, code: 1 });
    const known = { commit: "abc", parts: { one: passed, two: failed, three: notRun("no Java") } };

    expect(unfinished([one, two, three, partOf("four")], known).map(({ name }) => name)).toEqual(["three", "four"]);
  });

  test("the outcome follows the exit code, and the closing line is the last one without colours", () => {
    expect(resultOf(one, ended)).toEqual({ outcome: "passed", seconds: 90, closing: "last line", log: "a.log" });
    expect(resultOf(one, { ...ended, code: 1 })).toMatchObject({
      outcome: "failed",
      closing: "last line (ended with 1)",
    });
    expect(resultOf(one, { ...ended, code: null }).closing).toBe("last line (ended with a signal)");
    expect(resultOf(one, { ...ended, output: "" }).closing).toBe("it printed nothing");
  });

  test("a part that says it could not run has not passed", () => {
    const helm = partOf("chart", { notRunWhen: /cannot be built here/ });
    const output = "Error: Helm cannot be built here: no Go\n    at main\n";

    expect(resultOf(one, { ...ended, code: 3, output: "not run: no Java\n" })).toMatchObject({
      outcome: "not run",
      closing: "not run: no Java",
    });
    expect(resultOf(helm, { ...ended, code: 1, output })).toMatchObject({
      outcome: "not run",
      closing: "not run: Error: Helm cannot be built here: no Go",
    });
    expect(resultOf(one, { ...ended, code: 1, output }).outcome).toBe("failed");
    expect(resultOf(helm, { ...ended, code: 0, output }).outcome).toBe("passed");
  });

  test("a part takes as long as when it last passed", () => {
    const runs = [ended, { ...ended, seconds: 60 }, { ...ended, seconds: 5, code: 1 }].map((end) => ({
      commit: "abc",
      parts: { one: resultOf(one, end) },
    }));

    expect(lastTook("one", runs)).toBe(60);
    expect(lastTook("two", runs)).toBeNull();
  });

  test("the report counts what was not run by itself", () => {
    const parts = { one: resultOf(one, ended), two: notRun("no | Java") };

    const text = tellReport({ commit: "abc", parts }, [one, two, three]);

    expect(text).toMatch(/^\| one +\| passed +\| 1\.5 +\| last line +\|$/m);
    expect(text).toContain(String.raw`not run: no \| Java`);
    expect(text).toMatch(/1 parts passed, 0 failed, 1 not run, 1 not started$/);
  });
});
