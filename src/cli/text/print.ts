import { type Screen, screenOf } from "./screen.ts";

type Result = { json: boolean; text: (screen: Screen) => string };

/** Writes a command's result: as data with `--json`, which has no colour, else as a person reads it. */
export function printResult(value: unknown, { json, text }: Result): void {
  const output = json ? JSON.stringify(value, null, 2) : text(screenOf(process.stdout));
  printText(output);
}

export const printText = (output: string): void => {
  process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
};
