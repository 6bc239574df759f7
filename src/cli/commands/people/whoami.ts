import type { Command } from "commander";
import { caller as callerSchema } from "../../../wire/admin/people.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { callerText } from "../../text/people/caller-text.ts";
import { printResult } from "../../text/print.ts";

/** `tollgate whoami`. */
export function addWhoamiCommand(program: Command): void {
  program
    .command("whoami")
    .description("show as whom commands act, with which roles, and on which gateway or database")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withOperator(command, async (_operator, by, { through, at, askCaller }) => {
        const asked = await askCaller();
        const caller =
          asked === null
            ? { actor: by.actor, via: "cli" as const, person: null, token: null }
            : written(callerSchema, asked);
        const shown = { through, at, ...caller };
        printResult(shown, { json: options.json === true, text: (screen) => callerText(shown, screen) });
      });
    });
}
