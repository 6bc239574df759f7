import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInTerminal, whyNoTerminal } from "../../tests/support/run-in-terminal.ts";
import { MAIN } from "../../tests/support/run-tollgate.ts";

const ESCAPE = "\u001B[";
const BOLD = `${ESCAPE}1m`;
const RED = `${ESCAPE}31m`;
const TOLLGATE = `'${process.execPath}' '${MAIN}'`;

describe.skipIf(whyNoTerminal)(`on a terminal${whyNoTerminal === null ? "" : ` (skipped: ${whyNoTerminal})`}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-terminal-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const show = (line: string, env: Record<string, string> = {}, columns = 60) =>
    runInTerminal(line, { cwd: folder, env, columns });

  test("a table has a bold header and fits the width, with … where text was cut", async () => {
    const shown = await show(`${TOLLGATE} config show`, { TOLLGATE_PUBLIC_URL: `https://${"a".repeat(60)}.example` });

    const lines = stripVTControlCharacters(shown).trimEnd().split("\n");
    expect(shown).toContain(`${BOLD}SETTING`);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(lines.find((line) => line.startsWith("public_url"))).toMatch(/https:\/\/a+…/);
  });

  test.each<[why: string, line: string, env: Record<string, string>]>([
    ["NO_COLOR is set", "config show", { NO_COLOR: "1" }],
    ["the terminal is dumb", "config show", { TERM: "dumb" }],
    ["the result is JSON", "config show --json", {}],
    ["the result goes to a pipe", "config show | cat", {}],
  ])("there is no colour when %s", async (_, line, env) => {
    const shown = await show(`${TOLLGATE} ${line}`, env);

    expect(shown).toContain("admin.token");
    expect(shown).not.toContain(ESCAPE);
  });

  test("a password that is typed is not shown", async () => {
    const password = "a phrase nobody should see";
    const shown = await runInTerminal(`${TOLLGATE} people password ann@x.example`, {
      cwd: folder,
      env: { TOLLGATE_URL: "http://127.0.0.1:9", TOLLGATE_TOKEN: "a-token-of-a-terminal" },
      columns: 80,
      typed: [
        { after: "New password: ", text: `${password}\r` },
        { after: "The same again: ", text: `${password}\r` },
      ],
    });

    expect(shown).toContain("New password: \nThe same again: \n");
    expect(shown).toContain("does not answer");
    expect(shown).not.toContain(password);
  });

  test("an empty NO_COLOR leaves colour on, and FORCE_COLOR turns it on in a pipe", async () => {
    expect(await show(`${TOLLGATE} config show`, { NO_COLOR: "" })).toContain(BOLD);
    expect(await show(`${TOLLGATE} config show | cat`, { FORCE_COLOR: "1" })).toContain(BOLD);
  });

  test("an error is red where standard error is a terminal, wherever the result goes", async () => {
    const onBoth = await show(`${TOLLGATE} keys list >out; ${TOLLGATE} keys lst >out`);
    await show(`${TOLLGATE} keys list 2>err; ${TOLLGATE} keys lst 2>>err`);

    expect(onBoth).toContain(`${RED}tollgate:`);
    expect(onBoth).toContain(`${RED}error:`);
    expect(readFileSync(join(folder, "err"), "utf8")).toMatch(/^tollgate: .+\nerror: unknown command/);
  });
});
