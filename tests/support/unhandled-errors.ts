import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Writes the errors that belong to no test, a line for each, to the file that TEST_UNHANDLED names: a promise that nobody waited for, or a
 * worker that died. They fail the run, and the report of the tests does not contain them.
 */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly (SerializedError | undefined)[]): void {
    const file = process.env["TEST_UNHANDLED"];
    if (file !== undefined) writeFileSync(file, errors.map((error) => `${told(error)}\n`).join(""));
  }
}

/** A promise may be rejected with nothing at all. */
function told(error: SerializedError | undefined): string {
  const path: unknown = error?.["VITEST_TEST_PATH"];
  const where = typeof path === "string" ? `beside ${relative(process.cwd(), path)}` : "outside the tests";
  const from = error?.stack?.split("\n").find((line) => /^\s+at .*(src|tests|console)\//.test(line)) ?? "";
  return (
    `${where}: ${error?.name ?? ""} ${error?.message}`.split("\n", 1)[0] +
    from.replace(/^\s+/, " ").replaceAll(`${process.cwd()}/`, "")
  );
}
