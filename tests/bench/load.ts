/**
 * The load generator for machines without a compiler, a process of its own so that it can be pinned and its cost be known.
 * Usage: node load.ts JOB, with a job as JSON. Says when its connections are open, begins when it reads a line, prints one line of
 * JSON, and ends with its input. When it holds streams, every further line is answered with what has become of them. Any connection that breaks ends it with an error: half a load is no measurement.
 */
import { once } from "node:events";
import { prepareClosedLoop } from "./closed-loop.ts";
import { prepareHold } from "./hold-streams.ts";
import type { LoadJob } from "./load-job.ts";
import { prepareOpenLoop } from "./open-loop.ts";

const job = JSON.parse(process.argv[2] ?? "") as LoadJob;

const fail = (error: Error): void => {
  process.stderr.write(`load: ${error.message}\n`);
  process.exit(1);
};

const loads = { closed: prepareClosedLoop, open: prepareOpenLoop, hold: prepareHold };
const run = await loads[job.mode](job, fail);
process.stdin.on("end", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
for (;;) {
  await once(process.stdin, "data");
  process.stdout.write(`${JSON.stringify(await run())}\n`);
}
