import { clearLine, cursorTo } from "node:readline";
import { grouped } from "./cell.ts";

type Progress = { show: (phase: string, done: number) => void; end: () => void };

/** How far a long command is: one line of a terminal's standard error that changes and is gone at the end. A log gets the result only. */
export function createProgress(stderr: NodeJS.WriteStream = process.stderr): Progress {
  const clear = (): void => {
    clearLine(stderr, 0);
    cursorTo(stderr, 0);
  };
  return {
    show: (phase, done) => {
      if (!stderr.isTTY) return;
      clear();
      stderr.write(`${phase}: ${grouped(done)}`);
    },
    end: () => {
      if (stderr.isTTY) clear();
    },
  };
}
