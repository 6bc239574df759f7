import type { Argument, Command, Option } from "commander";
import { wordsOf } from "../command-notes.ts";

/** What may stand in a place of the command line. */
export type Values = { kind: "words"; words: readonly string[] } | { kind: "file" | "folder" | "any" };

export type DescribedOption = {
  flags: readonly string[];
  text: string;
  /** Null: it takes none. */ values: Values | null;
};

/** A command or a group of commands, by the words that lead to it; the program itself has none. */
export type DescribedCommand = {
  words: string;
  options: readonly DescribedOption[];
  commands: readonly { name: string; text: string }[];
  /** Of its arguments together: a shell is not told which of them stands where. */
  values: Values;
};

/** The whole tree, parents first, from the definitions themselves. */
export function describeCommands(program: Command): DescribedCommand[] {
  const common = [...program.options.map(optionOf), HELP];
  const describe = (command: Command): DescribedCommand[] => [
    {
      words: wordsOf(command),
      options: command === program ? common : [...command.options.map(optionOf), ...common.filter(isShared)],
      commands: command.commands.map((child) => ({ name: child.name(), text: child.description() })),
      values: argumentValues(command.registeredArguments),
    },
    ...command.commands.flatMap(describe),
  ];
  return describe(program);
}

/** Options behind which a value stands, which is no command whatever it says. */
export const valueFlags = (commands: readonly DescribedCommand[]): string[] => [
  ...new Set(
    commands.flatMap(({ options }) => options.filter(({ values }) => values !== null).flatMap(({ flags }) => flags)),
  ),
];

const HELP: DescribedOption = { flags: ["--help", "-h"], text: "print help for a command", values: null };
const isShared = ({ flags }: DescribedOption): boolean => !flags.includes("--version");

const optionOf = (option: Option): DescribedOption => ({
  flags: [option.long, option.short].filter((flag) => flag !== undefined),
  text: option.description,
  values: option.required || option.optional ? valuesOf(option.argChoices, option.flags) : null,
});

function argumentValues(list: readonly Argument[]): Values {
  const choices = list.flatMap(({ argChoices }) => argChoices ?? []);
  if (choices.length > 0) return { kind: "words", words: choices };
  return valuesOf(undefined, list.map((argument) => `<${argument.name()}>`).join(" "));
}

/** A value that is called a file is one. */
function valuesOf(choices: readonly string[] | undefined, name: string): Values {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (name.includes("<file>")) return { kind: "file" };
  return { kind: /<(?:folder|path)>/.test(name) ? "folder" : "any" };
}
