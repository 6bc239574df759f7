import type { Command } from "commander";
import { expect, test } from "vitest";
import { COMMAND_NOTES, leavesOf, wordsOf } from "./command-notes.ts";
import { createProgram } from "./tollgate.ts";

test("every command has an example, and no example outlives its command", async () => {
  const commands = leavesOf(await createProgram("")).map(wordsOf);

  expect(commands.length).toBeGreaterThan(30);
  expect(Object.keys(COMMAND_NOTES).toSorted()).toEqual(commands.toSorted());
});

test.each(Object.entries(COMMAND_NOTES))("the example of `%s` is a command line it accepts", async (words, note) => {
  const [name = "", ...given] = wordsOfLine(note.example);
  const program = await createProgram(given[0] ?? "");
  const ran: Command[] = [];
  for (const command of leavesOf(program)) command.action(() => void ran.push(command));

  await program.parseAsync(["node", name, ...given]);

  expect(ran.map(wordsOf)).toEqual([words]);
});

/** As a shell reads the line: without quotation marks and without what is redirected. */
const wordsOfLine = (line: string): string[] =>
  (line.replace(/ < .*$/, "").match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ""));
