import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseFences } from "./fences.ts";
import { runSession } from "./session.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-session-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, comment: string, shown = "too much") => {
  const page = ["```sh", "echo first", "```", comment, "```sh", command, "```"];
  const output = ["<!-- printed by: the commands above -->", "```text", shown, "```"];
  return runSession(parseFences("page.md", [...page, ...output].join("\n")), {
    folder,
    environment: { PATH: process.env["PATH"] ?? "" },
    replacements: [],
    packageFolders: [],
  });
};

test("a command that is to fail fails with the words that the page gives", async () => {
  expect(await run("echo too much; false", "<!-- fails with: much -->")).toEqual({ ran: 2, failure: null });
});

test.each([
  ["succeeds where it is to fail", "echo too much", "<!-- fails with: much -->"],
  ["fails with other words", "echo too little; false", "<!-- fails with: much -->"],
  ["fails where it is to succeed", "echo too much; false", ""],
])("a command that %s ends the session", async (_what, command, comment) => {
  expect(await run(command, comment)).toMatchObject({
    ran: 1,
    failure: expect.stringContaining("page.md:5") as string,
  });
});

test("a page that shows what was not printed has failed", async () => {
  expect(await run("echo too little", "")).toMatchObject({
    ran: 2,
    failure: expect.stringContaining("shows a line that was not printed: too much") as string,
  });
});
