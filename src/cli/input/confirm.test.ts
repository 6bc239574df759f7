import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "./confirm.ts";

const QUESTION = { about: "This costs money.", option: "--yes", declined: "nothing was sent." };

function terminal(answer: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  let said = "";
  output.on("data", (chunk: Buffer) => (said += chunk.toString()));
  input.write(`${answer}\n`);
  return { input, output, said: () => said };
}

test.each(["y", " Yes "])("%j on a terminal goes on", async (answer) => {
  const { said, ...streams } = terminal(answer);

  await confirm(QUESTION, streams);

  expect(said()).toBe("This costs money.\nContinue? [y/N] ");
});

test.each(["", "n", "yesterday"])("%j on a terminal does not go on", async (answer) => {
  await expect(confirm(QUESTION, terminal(answer))).rejects.toThrow("nothing was sent.");
});

test("without a terminal the error names the option", async () => {
  const streams = { input: new PassThrough(), output: new PassThrough() };

  await expect(confirm(QUESTION, streams)).rejects.toThrow("This costs money. Add --yes to confirm.");
});
