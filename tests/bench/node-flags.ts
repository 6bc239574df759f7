import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The flags of Node that a checkout runs with: those in the first line of its `bin/tollgate.js`, from which the unit, the image
 * and the chart start it. `mainFile` is `src/main.ts` or `dist/main.js` of the checkout.
 */
export function nodeFlagsOf(mainFile: string): string[] {
  const program = join(dirname(dirname(mainFile)), "bin/tollgate.js");
  if (!existsSync(program)) return [];
  const [firstLine = ""] = readFileSync(program, "utf8").split("\n");
  return flagsIn(firstLine);
}

export function flagsIn(firstLine: string): string[] {
  const [, after = ""] = /^#!.*?\bnode(?=\s|$)(.*)$/.exec(firstLine) ?? [];
  return after.split(/\s+/).filter((word) => word !== "");
}
