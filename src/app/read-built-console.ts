import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ConsoleFiles, readConsole } from "../console/console-files.ts";

const FOLDER = join(import.meta.dirname, "../../console");

/** What `npm run console` left in console/dist; packages carry the same folder. */
export const readBuiltConsole = (): ConsoleFiles => readConsole(join(FOLDER, "dist"));

/** `unbuilt`: a clone, which has what it is built from. `missing`: a package that lacks it. */
export type ConsoleState = "built" | "unbuilt" | "missing";

export function consoleState(): ConsoleState {
  if (existsSync(join(FOLDER, "dist/index.html"))) return "built";
  return existsSync(join(FOLDER, "package.json")) ? "unbuilt" : "missing";
}
