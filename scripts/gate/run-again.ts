import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Failure } from "../../tests/support/failed-tests.ts";
import { type Ran, runVitest } from "./run-vitest.ts";
import type { Second } from "./unstable.ts";

type Place = {
  /** For what Vitest writes; goes with the run. */
  folder: string;
  env: Record<string, string>;
  /** Where the logs of both runs are kept. */
  kept: string;
  number: number;
};

/** Runs a test alone, or a file that failed by itself as a whole, in a process of its own. */
export function runAgain(failure: Failure, { folder, env, kept, number }: Place): Second {
  const { project, file, title, messages, wrote } = failure;
  const name = `${file} (${project}) ${title}`.trimEnd();
  const logs = ["first", "second"].map((run) => join(kept, `${number}-${run}.txt`)) as [string, string];
  writeFileSync(logs[0], [name, ...messages, ...(wrote === "" ? [] : ["It wrote:", wrote])].join("\n\n"));
  const words = ["--project", project, resolve(file), ...(title === "" ? [] : ["-t", `^${RegExp.escape(title)}$`])];
  const ran = runVitest({ words, folder: join(folder, `again-${number}`), env, log: logs[1] });
  const counts = countsOf(ran, failure);
  const passed = ran.status === 0 && ran.failures.length + ran.unhandled.length === 0 && counts.passed > 0;
  console.log(`run again alone: ${passed ? "passed" : "failed"}: ${name}`);
  return { failure, passed, counts };
}

/** A title that no test has would leave all of them out, and Vitest content. */
function countsOf({ report }: Ran, { file, title }: Failure): Second["counts"] {
  const tests = (report?.testResults ?? [])
    .filter(({ name }) => name === resolve(file))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((test) => title === "" || [...test.ancestorTitles, test.title].join(" > ") === title);
  const passed = tests.filter(({ status }) => status === "passed").length;
  return { passed, skipped: tests.length - passed };
}
