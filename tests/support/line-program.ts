import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A program in any language that answers one line of JSON with one line of JSON. */
export type LineProgram = {
  ask: <Answer>(question: object) => Promise<Answer>;
  stop: () => Promise<void>;
};

type Start = { words: readonly [string, ...string[]]; environment?: Record<string, string> };

/** Questions are answered in their order, one at a time. */
export function startLineProgram({ words: [program, ...args], environment = {} }: Start): LineProgram {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...environment };
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  let complaint = "";
  let ended = false;
  child.stderr.on("data", (bytes: Buffer) => (complaint = (complaint + bytes.toString()).slice(-2_000)));
  // A program that died has a better word for it than the broken pipe has.
  child.stdin.on("error", () => undefined);
  child.on("error", (error) => (complaint += error.message));
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  const closed = once(child, "close").then(() => {
    ended = true;
    for (const { reject } of waiting.splice(0)) reject(new Error(`${program} ended: ${complaint}`));
  });

  return {
    ask: async <Answer>(question: object) => {
      if (ended) throw new Error(`${program} ended: ${complaint}`);
      const line = new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return JSON.parse(await line) as Answer;
    },
    stop: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
