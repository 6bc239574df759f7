import { join } from "node:path";
import type { LoadGenerator } from "./generator.ts";
import type { LoadResult } from "./load-job.ts";
import type { Processes } from "./processes.ts";
import { startSimulator } from "./start-simulator.ts";

const LOAD_ENTRY = join(import.meta.dirname, "load.ts");

/** For machines without a compiler: the simulator, and a generator in a process of its own for each job. */
export async function startTypeScriptGenerator(processes: Processes): Promise<LoadGenerator> {
  const simulator = await startSimulator(processes);
  return {
    kind: "TypeScript",
    providerUrl: simulator.url,
    prepare: async (job) => {
      const load = processes.start({ words: [LOAD_ENTRY, JSON.stringify(job)], role: "load" });
      await load.nextLine();
      let refusedAtFirst = 0;
      const run = async (): Promise<LoadResult> => {
        load.write("go\n");
        return JSON.parse(await load.nextLine()) as LoadResult;
      };
      return {
        pids: [simulator.process.pid, load.pid],
        go: async () => {
          const result = await run();
          refusedAtFirst = result.failures;
          return result;
        },
        look: async () => {
          const { failures, firstFailure, events } = await run();
          return { lost: failures - refusedAtFirst, firstLoss: firstFailure, events, delayMicros: null };
        },
        close: async () => {
          load.closeInput();
          await load.ended;
        },
      };
    },
  };
}
