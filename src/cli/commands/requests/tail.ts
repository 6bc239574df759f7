import { once } from "node:events";
import type { Command } from "commander";
import { liveEnd } from "../../../contract/live.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { endText } from "../../text/requests/live-text.ts";
import { counted } from "../../text/cell.ts";
import { screenOf } from "../../text/screen.ts";

type Options = { key?: string; account?: string; model?: string; errors?: true; json?: true };

/** `tollgate tail`: requests as they end. */
export function addTailCommand(program: Command): void {
  program
    .command("tail")
    .description("print requests as they end, of all processes, until Ctrl+C")
    .option("--key <key>", "only requests of this key: id or prefix")
    .option("--account <account>", "only requests of this account and those below: id or names")
    .option("--model <model>", "only requests for this model")
    .option("--errors", "only requests that were rejected or failed")
    .option("--json", "print one line of JSON for each")
    .action(async (options: Options, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { key = null, account = null, model = null, errors = false } = options;
        const screen = screenOf(process.stdout);
        for await (const { ended, missed } of await operator.live.watch(
          { limit: 0, key, account, model, errors },
          by,
        )) {
          const lines = ended
            .map((end) => written(liveEnd, end))
            .map((end) => (options.json ? JSON.stringify(end) : endText(end, screen)));
          if (lines.length > 0 && !process.stdout.write(`${lines.join("\n")}\n`)) await once(process.stdout, "drain");
          if (missed > 0) process.stderr.write(`${counted(missed, "request")} ended faster than shown\n`);
        }
      });
    });
}
