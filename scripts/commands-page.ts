import { type Argument, type Command, Help, Option } from "commander";
import { COMMAND_NOTES, leavesOf, wordsOf } from "../src/cli/command-notes.ts";
import { createProgram } from "../src/cli/tollgate.ts";

/** The reference of all commands, from what they say of themselves in `--help`. */
export async function commandsPage(generated: string): Promise<string> {
  const program = await createProgram("");
  const commands = leavesOf(program);
  return [
    "# Commands",
    "",
    "For operators who work in a terminal.",
    "",
    generated,
    "",
    ...INTRODUCTION,
    "",
    "| Command | What it does | `--json` |",
    "|---|---|---|",
    ...commands.map(rowOf),
    "",
    "## For all commands",
    "",
    ...optionTable([...program.options, new Option("-h, --help", "print help for a command")]),
    "",
    ...CONVENTIONS,
    "",
    ...COMPLETION,
    ...commands.flatMap((command) => ["", ...sectionOf(command)]),
    "",
  ].join("\n");
}

const INTRODUCTION = [
  "This page lists every command of `tollgate`; `tollgate COMMAND --help` prints the same text.",
  "",
  "In a clone, define the command once per shell, in the folder of the clone:",
  "",
  "```sh",
  'alias tollgate="$PWD/scripts/with-node node $PWD/src/main.ts"',
  "```",
  "",
  "In a folder where the package is installed, write `npx tollgate` instead of `tollgate`.",
];

const CONVENTIONS = [
  "- **Where.** With `TOLLGATE_URL` (the admin listener) and `TOLLGATE_TOKEN` (or `TOLLGATE_TOKEN_FILE`), commands of operators go through the admin API of that gateway. Without them they work on the database of `DATABASE_URL`, and without that on the `tollgate dev` of this folder. `migrate`, `serve`, `doctor`, `ledger adopt`, `ledger partitions` and `ledger periods` need the database itself.",
  '- **Output.** The result goes to standard output; warnings, progress and errors go to standard error. `--json` prints the result as JSON, and an error as `{"error":{"message":…}}`.',
  "- **Terminal.** On a terminal, tables fit its width and states have a colour; a cut text ends with `…`. In a pipe or a file, output is plain and whole. `NO_COLOR` (any value) and `TERM=dumb` turn colour off; `FORCE_COLOR=1` turns it on.",
  "- **Exit codes.** 0: done. 1: the command failed. 2: the command line is not valid. Where 1 has another meaning, the command says so below.",
  "- **Keys.** Name a key by its id or by its prefix, the first 12 characters of its secret. If you pass a whole secret, only the prefix is used.",
  "- **Database.** Commands use the database in `DATABASE_URL`. Without one, commands for keys, money, providers and models use the `tollgate dev` that runs in the same folder.",
  "- **Settings.** Commands read the same [settings](settings.md) as the gateway.",
];

const COMPLETION = [
  "## Shell completion",
  "",
  "`tollgate completion SHELL` prints a script that completes commands, options, values and files. Put its line into your shell's start file:",
  "",
  "| Shell | File | Line |",
  "|---|---|---|",
  "| bash | `~/.bashrc` | `source <(tollgate completion bash)` |",
  "| zsh | `~/.zshrc`, after `compinit` | `source <(tollgate completion zsh)` |",
  "| fish | `~/.config/fish/config.fish` | `tollgate completion fish \\| source` |",
  "",
  "Completion works for a command called `tollgate`, not for `npx tollgate`. In a clone, the alias must be defined first; zsh also needs `setopt complete_aliases`.",
];

const help = new Help();
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const anchorOf = (command: Command): string => `tollgate-${wordsOf(command).replaceAll(" ", "-")}`;
const hasJson = (command: Command): boolean => command.options.some(({ long }) => long === "--json");

const rowOf = (command: Command): string =>
  `| [\`tollgate ${wordsOf(command)}\`](#${anchorOf(command)}) | ${cell(command.description())} | ${hasJson(command) ? "yes" : "no"} |`;

function sectionOf(command: Command): string[] {
  const note = COMMAND_NOTES[wordsOf(command)];
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `## tollgate ${wordsOf(command)}`,
    "",
    sentence(command.description()),
    "",
    "```",
    help.commandUsage(command),
    "```",
    ...(command.registeredArguments.length === 0 ? [] : ["", ...argumentTable(command.registeredArguments)]),
    ...(options.length === 0 ? [] : ["", ...optionTable(options)]),
    ...(note?.exit1 === undefined ? [] : ["", `Exit code 1: ${note.exit1}.`]),
    ...(note === undefined ? [] : ["", "Example:", "", "```", note.example, "```"]),
  ];
}

const argumentTable = (list: readonly Argument[]): string[] => [
  "| Argument | Meaning |",
  "|---|---|",
  ...list.map((argument) => `| \`${help.argumentTerm(argument)}\` | ${cell(help.argumentDescription(argument))} |`),
];

const optionTable = (list: readonly Option[]): string[] => [
  "| Option | Meaning |",
  "|---|---|",
  ...list.map((option) => `| \`${cell(option.flags)}\` | ${cell(optionText(option))} |`),
];

/** Commander names choices and defaults behind the text. */
const optionText = (option: Option): string =>
  option.mandatory ? `${help.optionDescription(option)} (required)` : help.optionDescription(option);
