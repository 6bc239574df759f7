import { join } from "node:path";
import { type ConsoleFiles, readConsole } from "../console/console-files.ts";

/** What `npm run console` left in console/dist; packages carry the same folder. */
export const readBuiltConsole = (): ConsoleFiles => readConsole(join(import.meta.dirname, "../../console/dist"));
