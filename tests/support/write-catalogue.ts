import { writeFileSync } from "node:fs";
import { MAIN, runTollgate } from "./run-tollgate.ts";

/** Writes a catalogue file for the program that will read it: versions without `--format` call a route's format its dialect. */
export async function writeCatalogue(file: string, catalogue: object, main: string = MAIN): Promise<void> {
  writeFileSync(file, JSON.stringify(catalogue, (await knowsFormat(main)) ? undefined : inEarlierWords));
}

async function knowsFormat(main: string): Promise<boolean> {
  if (main === MAIN) return true;
  const help = await runTollgate(["models", "add", "--help"], { cwd: ".", env: {}, main });
  return help.stdout.includes("--format");
}

function inEarlierWords(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("upstream_model" in value) || !("format" in value)) return value;
  const { format: dialect, ...route } = value;
  return { ...route, dialect };
}
