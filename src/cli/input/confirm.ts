import { createInterface } from "node:readline/promises";
import { CommandError } from "../report-failure.ts";

type Question = {
  /** What is to be confirmed; said before the question, or as the error where no terminal can answer. */
  about: string;
  /** The option that answers in advance. */
  option: string;
  /** What is said after a no. */
  declined: string;
};

type Terminal = { input: NodeJS.ReadableStream & { isTTY?: boolean }; output: NodeJS.WritableStream };

/** Asks on a terminal whether to go on; where there is none, the option is named. */
export async function confirm(
  { about, option, declined }: Question,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (!input.isTTY) throw new CommandError(`${about} Add ${option} to confirm.`);
  output.write(`${about}\n`);
  const question = createInterface({ input, output });
  try {
    if (!/^y(es)?$/i.test((await question.question("Continue? [y/N] ")).trim())) throw new CommandError(declined);
  } finally {
    question.close();
  }
}
