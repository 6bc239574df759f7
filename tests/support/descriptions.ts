import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Before any test, by vitest or by the stage of a program: a gateway that is started from its sources serves descriptions of the same sources. */
export function setup(): void {
  const script = join(import.meta.dirname, "../../scripts/descriptions.ts");
  execFileSync(process.execPath, [script, "--once"], { stdio: "inherit" });
}
