import { runTollgate } from "./cli/tollgate.ts";

/** A process with nothing open has ended long before. */
const LEFT_OPEN_MS = 100;

await runTollgate(process.argv);

// What a failed command had opened must not keep the process: a busy port, with a database already open. Nothing else is ended by
// force: `process.exit` waits for V8's threads, one of which may wait for this thread to collect garbage, and then both wait for ever.
if (process.exitCode) setTimeout(() => process.exit(), LEFT_OPEN_MS).unref();
