import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNoTerminal } from "../../../tests/support/run-in-terminal.ts";
import { createProgram } from "../tollgate.ts";
import { bashCompletion } from "./bash.ts";
import { describeCommands } from "./describe-commands.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-completion-"));
  mkdirSync(join(folder, "prices"));
  writeFileSync(join(folder, "prices list.json"), "{}");
  const commands = describeCommands(await createProgram(""));
  writeFileSync(join(folder, "script.bash"), bashCompletion(commands));
  writeFileSync(join(folder, "script.zsh"), zshCompletion(commands));
  writeFileSync(join(folder, "script.fish"), fishCompletion(commands));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: folder, TERM: "xterm" });
const whyNo = (shell: string): string | null =>
  spawnSync(shell, ["-c", "true"], { stdio: "ignore" }).status === 0 ? null : `${shell} is not installed`;
/** What is skipped says so in the title, since a skipped test shows nothing else. */
const titled = (title: string, reason: string | null): string =>
  reason === null ? title : `${title} (skipped: ${reason})`;

/** The line up to the cursor, and what is offered there. */
const CASES: [line: string, offered: string[]][] = [
  ["tollgate ke", ["keys"]],
  ["tollgate ledger quarantine re", ["release"]],
  ["tollgate keys create --mod", ["--mode", "--model"]],
  ["tollgate keys create --mode ", ["credit", "token_budget"]],
  ["tollgate keys create --label list --per", ["--period"]],
  ["tollgate --config x completion ", ["bash", "fish", "zsh"]],
  ["tollgate models import pri", ["prices list.json", "prices/"]],
  ["tollgate dev --folder pri", ["prices/"]],
  ["tollgate keys create --credit ", []],
  ["tollgate keys revoke ", []],
];

function ask(shell: string, args: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env: environment(), encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

const noBash = whyNo("bash");
describe.skipIf(noBash)(titled("in bash", noBash), () => {
  test.each(CASES)("%j is completed", (line, offered) => {
    const words = line.split(" ");
    const call = `source script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`;

    // The shell itself puts the slash behind a folder.
    const found = ask("bash", ["--norc", "-c", call, "bash", ...words]).map((name) =>
      name === "prices" ? "prices/" : name,
    );
    expect(found.toSorted()).toEqual(offered);
  });

  test("the script is registered for tollgate", () => {
    expect(ask("bash", ["--norc", "-c", "source script.bash; complete -p tollgate"])).toEqual([
      "complete -F _tollgate tollgate",
    ]);
  });
});

const noFish = whyNo("fish");
describe.skipIf(noFish)(titled("in fish", noFish), () => {
  test.each(CASES)("%j is completed", (line, offered) => {
    const found = ask("fish", ["--no-config", "-c", `source script.fish; complete -C '${line}'`]);

    expect(found.map((candidate) => candidate.split("\t")[0] ?? "").toSorted()).toEqual(offered);
  });
});

const noZsh = whyNo("zsh") ?? whyNoTerminal;
describe.skipIf(noZsh)(titled("in zsh", noZsh), () => {
  test.each([
    ["tollgate ke\t", "tollgate keys"],
    ["tollgate ledger quarantine re\t", "tollgate ledger quarantine release"],
    ["tollgate keys create --per\t", "tollgate keys create --period"],
    ["tollgate keys create --mode to\t", "tollgate keys create --mode token_budget"],
    ["tollgate keys create --label list --per\t", "--label list --period"],
    ["tollgate models import prices\\ l\t", "prices\\ list.json"],
  ])("%j is completed", async (typed, shown) => {
    const shell = spawn("script", ["-qec", "stty cols 200; exec zsh -f -i +o prompt_sp", "/dev/null"], {
      cwd: folder,
      env: environment(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    const closed = once(shell, "close");
    const written = watch(shell.stdout);
    try {
      shell.stdin.write("PROMPT='ready> '; autoload -U compinit; compinit -D -u; source script.zsh; echo set up\n");
      await written("set up\nready> ");
      shell.stdin.write(typed);
      await written(shown);
    } finally {
      shell.kill();
      await closed;
    }
  });
});

const WAIT_MS = 30_000;

/** Resolves once what was written contains a text; fails after a while, with what was written instead. */
function watch(output: NodeJS.ReadableStream): (text: string) => Promise<void> {
  let all = "";
  output.on("data", (bytes: Buffer) => (all += bytes.toString()));
  return async (text) => {
    const signal = AbortSignal.timeout(WAIT_MS);
    const seen = (): string => stripVTControlCharacters(all).replaceAll("\r", "");
    while (!seen().includes(text)) {
      await once(output, "data", { signal }).catch(() => expect(seen()).toContain(text));
    }
  };
}
