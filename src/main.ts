import { runTollgate } from "./cli/tollgate.ts";

await runTollgate(process.argv);
