import { expect, test } from "vitest";
import { startLineProgram } from "./line-program.ts";

const node = (script: string) => startLineProgram({ words: [process.execPath, "-e", script] });

test("a program answers its questions in their order", async () => {
  const program = node(
    'require("readline").createInterface({ input: process.stdin }).on("line", (line) => console.log(line))',
  );

  const answers = await Promise.all([program.ask({ number: 1 }), program.ask({ number: 2 })]);
  await program.stop();

  expect(answers).toEqual([{ number: 1 }, { number: 2 }]);
});

test("who asks a program that has died is told its last words", async () => {
  const program = node('console.error("out of ink"); process.exit(1)');

  await expect(program.ask({})).rejects.toThrow("out of ink");
  await expect(program.ask({})).rejects.toThrow("out of ink");
});
