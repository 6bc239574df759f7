import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Processes, Started } from "./processes.ts";

export async function startSimulator(processes: Processes): Promise<{ url: string; process: Started }> {
  const root = join(import.meta.dirname, "../..");
  const built = join(root, "dist/simulator/main.js");
  const entry = existsSync(built) ? built : join(root, "src/simulator/main.ts");
  const process = processes.start({ words: [entry, "--port", "0"], role: "load" });
  const { url } = JSON.parse(await process.nextLine()) as { url: string };
  return { url, process };
}
