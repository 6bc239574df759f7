import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { SerializedError, UserConsoleLog } from "vitest";

/** A test that failed, or a file that failed by itself: by its hooks, or because it could not be loaded. Then `title` is empty. */
export type Failure = {
  project: string;
  file: string;
  /** With the titles around it and ` > ` between them, as `-t` compares it. */
  title: string;
  /** What went wrong, with stacks. */
  messages: string[];
  /** What the test wrote to the console. */
  wrote: string;
  /** How many tests of the file passed and were skipped, in this project. */
  counts: { passed: number; skipped: number };
};

const MOST_WRITTEN = 100_000;

/**
 * Writes the tests and files that failed to the file that TEST_FAILURES names. The JSON report of Vitest does not say to which project
 * a file belongs, nor what went wrong in a hook of a group of tests.
 */
export default class FailedTests implements Reporter {
  #wrote = new Map<string, string>();

  onUserConsoleLog({ taskId = "", content }: UserConsoleLog): void {
    this.#wrote.set(taskId, `${this.#wrote.get(taskId) ?? ""}${content}`.slice(-MOST_WRITTEN));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env["TEST_FAILURES"];
    if (file !== undefined) writeFileSync(file, JSON.stringify(modules.flatMap((module) => this.#failuresOf(module))));
  }

  #failuresOf(module: TestModule): Failure[] {
    const tests = [...module.children.allTests()];
    const countOf = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const of = {
      project: module.project.name,
      file: relative(process.cwd(), module.moduleId),
      counts: { passed: countOf("passed"), skipped: countOf("skipped") },
    };
    const failures = tests.flatMap((test): Failure[] => {
      const { state, errors = [] } = test.result();
      if (state !== "failed") return [];
      return [{ ...of, title: test.fullName, messages: errors.map(told), wrote: this.#wrote.get(test.id) ?? "" }];
    });
    const own = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
    if (own.length === 0 && (failures.length > 0 || module.state() !== "failed")) return failures;
    return [...failures, { ...of, title: "", messages: own.map(told), wrote: this.#wrote.get(module.id) ?? "" }];
  }
}

const told = ({ name, message, stack, diff }: SerializedError): string =>
  [stack?.includes(message) ? stack : `${name}: ${message}\n${stack ?? ""}`, diff].filter(Boolean).join("\n");
