import type { LoadGenerator } from "./generator.ts";
import type { BenchOptions } from "./options.ts";
import type { Processes } from "./processes.ts";
import type { Subject } from "./subject.ts";

/** Everything a phase needs to measure. */
export type Stage = {
  options: BenchOptions;
  processes: Processes;
  generator: LoadGenerator;
  direct: Subject;
  /** The bare proxy first, then Tollgate unless it is left out, another version of it, and peers. */
  subjects: readonly Subject[];
  /** What could not be measured, and why. */
  missing: string[];
  /** A new process of the same kind, for what is only comparable between processes that have done nothing yet. */
  restart: (name: string) => Promise<Subject>;
  progress: (text: string) => void;
  /** Stops the databases, once nobody uses them any more. */
  close: () => Promise<void>;
};

/** Forward in one round and backward in the next, so that nobody always comes after the same. */
export function inOrder(subjects: readonly Subject[], round: number): readonly Subject[] {
  return round % 2 === 1 ? subjects : subjects.toReversed();
}

/** Of what takes many seconds each time, fewer slices than of what takes one. */
export const fewer = (slices: number): number => Math.ceil(slices / 5);
