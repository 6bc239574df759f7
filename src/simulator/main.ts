/** Runs the simulator as a program: one line of JSON with its URL once it listens, an orderly end on SIGTERM. */
import { parseArgs } from "node:util";
import { startSimulator } from "./simulator.ts";

const { values } = parseArgs({
  options: { port: { type: "string" }, host: { type: "string" }, recordings: { type: "string" } },
});

const simulator = await startSimulator({
  ...(values.port !== undefined && { port: Number(values.port) }),
  ...(values.host !== undefined && { host: values.host }),
  ...(values.recordings !== undefined && { recordingsFolder: values.recordings }),
});
process.stdout.write(`${JSON.stringify({ url: simulator.url })}\n`);

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void simulator.close());
