import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The flags of Node that `serve` of a checkout runs with: those in its `bin/serve-flags.js`, with which the program that the unit, the
 * image and the chart start restarts itself. `mainFile` is `src/main.ts` or `dist/main.js` of the checkout.
 */
export function nodeFlagsOf(mainFile: string): string[] {
  const file = join(dirname(dirname(mainFile)), "bin/serve-flags.js");
  return existsSync(file) ? flagsIn(readFileSync(file, "utf8")) : [];
}

export const flagsIn = (text: string): string[] => Array.from(text.matchAll(/"(--[^"\s]+)"/g), ([, flag = ""]) => flag);
