/**
 * The load generator, a process of its own so that it can be pinned and its cost be known. Usage: node load.ts JOB, with a
 * job as JSON; prints one line of JSON. Any connection that breaks ends it with an error: half a load is no measurement.
 */
import { runClosedLoop } from "./closed-loop.ts";
import { holdStreams } from "./hold-streams.ts";
import type { LoadJob } from "./load-job.ts";
import { runOpenLoop } from "./open-loop.ts";

const job = JSON.parse(process.argv[2] ?? "") as LoadJob;

const fail = (error: Error): void => {
  process.stderr.write(`load: ${error.message}\n`);
  process.exit(1);
};

const runs = { closed: runClosedLoop, open: runOpenLoop, hold: holdStreams };
const result = await runs[job.mode](job, fail);
process.stdout.write(`${JSON.stringify(result)}\n`, () => {
  if (job.mode !== "hold") process.exit(0);
  process.stdin.on("end", () => process.exit(0)).resume();
});
