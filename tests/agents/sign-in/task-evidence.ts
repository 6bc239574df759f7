import { existsSync, readFileSync } from "node:fs";
import type { LoggedRequest } from "../../support/request-log.ts";
import { CONTENT } from "../agent-case.ts";
import type { Task } from "./sign-in-stage.ts";
import { wrongUnless } from "./step.ts";

/** What is wrong with a task that an agent says it has done: its file, and the two requests that it takes. */
export function problemsOfTask({ file, model }: Task, requests: readonly LoggedRequest[]): string[] {
  const written = existsSync(file) ? readFileSync(file, "utf8").trimEnd() : "";
  const generated = requests.filter(({ outcome }) => outcome !== undefined);
  return [
    ...wrongUnless(written === CONTENT, "its tool left nothing"),
    ...wrongUnless(
      generated.length === 2 && generated.every((each) => each.outcome === "completed" && each.model === model),
      `the requests ended ${generated.map(({ outcome }) => outcome).join(", ") || "nowhere"}`,
    ),
  ];
}
