import { type Command, Option } from "commander";
import type { StatusChange } from "../../../core/people/status-change.ts";
import { keyStatus, rotatedKey } from "../../../contract/keys.ts";
import { written } from "../../../wire/validate.ts";
import { durationMs, keyName } from "../../arguments.ts";
import { keyName as named, secretListing } from "../../text/keys/key-text.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult } from "../../text/print.ts";
import { screenOf } from "../../text/screen.ts";
import { addKeyUpdateCommand } from "./update-key.ts";

const STATUS_COMMANDS: Record<StatusChange, string> = {
  suspend: "suspend a key; its requests get 401 until you resume it",
  resume: "reactivate a suspended key",
  disable: "disable a key; its requests get 403 key_disabled until you enable it",
  enable: "reactivate a disabled key",
  revoke: "revoke a key permanently; its requests get 401",
};

/** `tollgate keys suspend | resume | disable | enable | revoke | update | rotate`. */
export function addKeyChangeCommands(keys: Command): void {
  for (const [change, description] of Object.entries(STATUS_COMMANDS)) {
    addStatusCommand(keys, { change: change as StatusChange, description });
  }

  addKeyUpdateCommand(keys);

  keys
    .command("rotate")
    .argument("<key>", "id or prefix", keyName)
    .description("create a new secret for a key; its old secrets stay valid during the overlap")
    .addOption(
      new Option("--overlap <time>", "how long the old secrets stay valid, such as 0, 90s, 15m, 24h or 7d")
        .argParser(durationMs)
        .default(durationMs("24h"), "24h"),
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: { overlap: number; json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const rotation = { overlapMs: options.overlap };
        const { secret, ...rotated } = written(rotatedKey, await operator.keys.rotate(name, rotation, by));
        if (!options.json) {
          process.stderr.write(
            `${secretListing(rotated.secrets, screenOf(process.stderr))}\n\nSave the new secret now; it won't be shown again.\n`,
          );
        }
        printResult({ ...rotated, secret }, { json: options.json === true, text: () => secret });
      });
    });
}

function addStatusCommand(keys: Command, { change, description }: { change: StatusChange; description: string }): void {
  keys
    .command(change)
    .argument("<key>", "id or prefix", keyName)
    .description(description)
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { key, changed } = written(keyStatus, await operator.keys.changeStatus(name, change, by));
        printResult(
          { key, changed },
          {
            json: options.json === true,
            text: () => (changed ? `${named(key)} is now ${key.status}.` : `${named(key)} was already ${key.status}.`),
          },
        );
      });
    });
}
