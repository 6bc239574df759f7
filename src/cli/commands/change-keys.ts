import { type Command, Option } from "commander";
import type { StatusChange } from "../../core/status-change.ts";
import { keyShownView, keyView } from "../../wire/admin/keys.ts";
import { durationMs, isoDate, keyName, orWord, positiveInteger } from "../arguments.ts";
import { keyName as named, secretListing } from "../text/key-text.ts";
import { withOperator } from "../open-operator.ts";
import { printResult } from "../text/print.ts";
import { screenOf } from "../text/screen.ts";
import { CommandError } from "../report-failure.ts";

const STATUS_COMMANDS: Record<StatusChange, string> = {
  suspend: "stop a key for now; callers hear that it is not valid",
  resume: "let a suspended key work again",
  disable: "stop a key for now; callers hear that it is disabled",
  enable: "let a disabled key work again",
  revoke: "stop a key for good",
};

/** `tollgate keys suspend | resume | disable | enable | revoke | update | rotate`. */
export function addKeyChangeCommands(keys: Command): void {
  for (const [change, description] of Object.entries(STATUS_COMMANDS)) {
    addStatusCommand(keys, { change: change as StatusChange, description });
  }

  keys
    .command("update")
    .argument("<key>", "id or prefix", keyName)
    .description("change the limits or the label of a key")
    .option("--rpm <number|none>", "requests per minute", orWord("none", positiveInteger))
    .option("--expires <date|never>", "when the key stops working; a later date revives it", orWord("never", isoDate))
    .option("--label <text>", "a name for people; empty takes it away")
    .option("--json", "print JSON")
    .action(async (name: string, options: UpdateOptions, command: Command) => {
      const { rpm, expires, label } = options;
      if (rpm === undefined && expires === undefined && label === undefined)
        throw new CommandError("there is nothing to change. Name at least one of --rpm, --expires and --label.");
      await withOperator(command, async (operator, by) => {
        const changes = {
          ...(rpm === undefined ? {} : { rpmLimit: rpm === "none" ? null : rpm }),
          ...(expires === undefined ? {} : { expiresAtMs: expires === "never" ? null : Date.parse(expires) }),
          ...(label === undefined ? {} : { label: label === "" ? null : label }),
        };
        const key = keyView(await operator.keys.update(name, changes, by));
        const now = `rpm ${key.rpm_limit ?? "unlimited"}, expires ${key.expires_at ?? "never"}`;
        printResult({ key }, { json: options.json === true, text: () => `changed ${named(key)}: ${now}` });
      });
    });

  keys
    .command("rotate")
    .argument("<key>", "id or prefix", keyName)
    .description("give a key a new secret, printed once; the old ones go on working for the overlap")
    .addOption(
      new Option("--overlap <time>", "how long the old secrets go on working: 0, 90s, 15m, 24h, 7d")
        .argParser(durationMs)
        .default(durationMs("24h"), "24h"),
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: { overlap: number; json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { secret, ...shown } = await operator.keys.rotate(name, { overlapMs: options.overlap }, by);
        const rotated = keyShownView(shown);
        if (!options.json) {
          process.stderr.write(
            `${secretListing(rotated.secrets, screenOf(process.stderr))}\n\nthe new secret is shown this once:\n`,
          );
        }
        printResult({ ...rotated, secret }, { json: options.json === true, text: () => secret });
      });
    });
}

type UpdateOptions = { rpm?: number | "none"; expires?: string; label?: string; json?: true };

function addStatusCommand(keys: Command, { change, description }: { change: StatusChange; description: string }): void {
  keys
    .command(change)
    .argument("<key>", "id or prefix", keyName)
    .description(description)
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const { key: details, changed } = await operator.keys.changeStatus(name, change, by);
        const key = keyView(details);
        printResult(
          { key, changed },
          {
            json: options.json === true,
            text: () => (changed ? `${named(key)} is now ${key.status}` : `${named(key)} was already ${key.status}`),
          },
        );
      });
    });
}
