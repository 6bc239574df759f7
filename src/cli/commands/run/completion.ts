import { Argument, type Command } from "commander";
import { bashCompletion } from "../../completion/bash.ts";
import { type DescribedCommand, describeCommands } from "../../completion/describe-commands.ts";
import { fishCompletion } from "../../completion/fish.ts";
import { zshCompletion } from "../../completion/zsh.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const satisfies Record<
  string,
  (commands: readonly DescribedCommand[]) => string
>;

/** `tollgate completion SHELL`: prints a script, from the definitions of all commands. */
export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell you use").choices(Object.keys(SHELLS)))
    .description("print a script that completes commands, options and values in your shell")
    .action((shell: keyof typeof SHELLS) => {
      process.stdout.write(SHELLS[shell](describeCommands(program)));
    });
}
