import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { readPiped, type SecretInput } from "./read-piped.ts";
import { CommandError } from "../report-failure.ts";

type Terminal = { input: SecretInput; write: (text: string) => void };

/**
 * A new password: typed twice on a terminal, which shows nothing of it, or all of standard input. Never an argument, which process lists
 * and the history of shells would keep.
 */
export async function readPassword(
  { input, write }: Terminal = { input: process.stdin, write: (text) => void process.stderr.write(text) },
): Promise<string> {
  if (!input.isTTY) return readPiped(input, "password");
  const nowhere = new Writable({ write: (_text, _encoding, done) => done() });
  // On a terminal, this reads key by key and writes what is typed to its output, which is nowhere.
  const typed = createInterface({ input: input as NodeJS.ReadStream, output: nowhere, terminal: true, historySize: 0 });
  typed.on("SIGINT", () => typed.close());
  const lines = typed[Symbol.asyncIterator]();
  const ask = async (prompt: string): Promise<string> => {
    write(prompt);
    const { value, done } = await lines.next();
    write("\n");
    if (done === true) throw new CommandError("no password was given. Nothing was changed.");
    return value;
  };
  try {
    const password = await ask("New password: ");
    if ((await ask("The same again: ")) !== password)
      throw new CommandError("the two passwords differ. Nothing was changed.");
    return password;
  } finally {
    typed.close();
  }
}
