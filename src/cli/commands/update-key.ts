import { type Command, Option } from "commander";
import { type KeyJson, keyView } from "../../wire/admin/keys.ts";
import { isoDate, keyName, orWord, positiveInteger } from "../arguments.ts";
import { withOperator } from "../open-operator.ts";
import { CommandError } from "../report-failure.ts";
import { keyName as named } from "../text/key-text.ts";
import { printable } from "../text/cell.ts";
import { printResult } from "../text/print.ts";

type UpdateOptions = {
  rpm?: number | "none";
  expires?: string;
  label?: string;
  provider?: string;
  model?: string[];
  allModels?: true;
  addModel?: string[];
  removeModel?: string[];
  json?: true;
};

/** `tollgate keys update`. */
export function addKeyUpdateCommand(keys: Command): void {
  keys
    .command("update")
    .argument("<key>", "id or prefix", keyName)
    .description("change the limits, provider, models or label of a key")
    .option("--rpm <number|none>", "requests per minute", orWord("none", positiveInteger))
    .option("--expires <date|never>", "when the key stops working; a later date revives it", orWord("never", isoDate))
    .option("--label <text>", "a name for people; an empty text removes it")
    .option("--provider <name|all>", "restrict the key to one provider, or lift that restriction")
    .addOption(
      new Option("--model <id...>", "restrict the key to these models, in place of those it lists").conflicts([
        "allModels",
        "addModel",
        "removeModel",
      ]),
    )
    .addOption(
      new Option("--all-models", "lift the restriction to certain models").conflicts(["addModel", "removeModel"]),
    )
    .option("--add-model <id...>", "add models to those the key lists")
    .option("--remove-model <id...>", "remove models from those the key lists")
    .option("--json", "print JSON")
    .action(async (name: string, options: UpdateOptions, command: Command) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0)
        throw new CommandError("there is nothing to change. See `tollgate keys update --help` for the options.");
      await withOperator(command, async (operator, by) => {
        const key = keyView(await operator.keys.update(name, changes, by));
        printResult({ key }, { json: options.json === true, text: () => `changed ${named(key)}: ${summaryOf(key)}` });
      });
    });
}

const changesOf = ({ rpm, expires, label, provider, model, allModels, addModel, removeModel }: UpdateOptions) => ({
  ...(rpm === undefined ? {} : { rpmLimit: rpm === "none" ? null : rpm }),
  ...(expires === undefined ? {} : { expiresAtMs: expires === "never" ? null : Date.parse(expires) }),
  ...(label === undefined ? {} : { label: label === "" ? null : label }),
  ...(provider === undefined ? {} : { providerScope: provider }),
  ...(model === undefined ? {} : { models: model }),
  ...(allModels === undefined ? {} : { models: null }),
  ...(addModel === undefined ? {} : { addModels: addModel }),
  ...(removeModel === undefined ? {} : { removeModels: removeModel }),
});

const summaryOf = ({ rpm_limit, expires_at, provider_scope, models }: KeyJson): string =>
  [
    `rpm ${rpm_limit ?? "unlimited"}`,
    `expires ${expires_at ?? "never"}`,
    `provider ${printable(provider_scope)}`,
    `models ${models === null ? "all" : models.map(printable).join(" ")}`,
  ].join(", ");
