import { type Command, Option } from "commander";
import { key as keySchema, type KeyJson } from "../../../contract/keys.ts";
import { written } from "../../../wire/validate.ts";
import {
  isoDate,
  keyName,
  orWord,
  positiveInteger,
  regionNames,
  REGIONS_HELP,
  tierNames,
  TIERS_HELP,
} from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { CommandError } from "../../report-failure.ts";
import { keyName as named, modelsOf, regionsOf, tiersOf } from "../../text/keys/key-text.ts";
import { printable } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";

type UpdateOptions = {
  rpm?: number | "none";
  expires?: string;
  label?: string;
  provider?: string;
  model?: string[];
  allModels?: true;
  addModel?: string[];
  removeModel?: string[];
  tiers?: string[] | null;
  regions?: string[] | null;
  json?: true;
};

/** `tollgate keys update`. */
export function addKeyUpdateCommand(keys: Command): void {
  keys
    .command("update")
    .argument("<key>", "id or prefix", keyName)
    .description("change the limits, provider, models, tiers, regions or label of a key")
    .option("--rpm <number|none>", "limit of requests per minute", orWord("none", positiveInteger))
    .option("--expires <date|never>", "expiry date; a later date reactivates an expired key", orWord("never", isoDate))
    .option("--label <text>", "a label to recognise the key by; an empty text removes it")
    .option("--provider <name|all>", "restrict the key to one provider, or lift that restriction")
    .addOption(
      new Option("--model <id...>", "restrict the key to these models, replacing its list").conflicts([
        "allModels",
        "addModel",
        "removeModel",
      ]),
    )
    .addOption(new Option("--all-models", "let the key use every model").conflicts(["addModel", "removeModel"]))
    .option("--add-model <id...>", "add models to its list")
    .option("--remove-model <id...>", "remove models from its list")
    .option("--tiers <all|none|names>", TIERS_HELP, tierNames)
    .option("--regions <all|names>", REGIONS_HELP, regionNames)
    .option("--json", "print JSON")
    .action(async (name: string, options: UpdateOptions, command: Command) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0)
        throw new CommandError("there is nothing to change. See `tollgate keys update --help` for the options.");
      await withOperator(command, async (operator, by) => {
        const key = written(keySchema, await operator.keys.update(name, changes, by));
        printResult({ key }, { json: options.json === true, text: () => `Changed ${named(key)}: ${summaryOf(key)}` });
      });
    });
}

const changesOf = ({
  rpm,
  expires,
  label,
  provider,
  model,
  allModels,
  addModel,
  removeModel,
  tiers,
  regions,
}: UpdateOptions) => ({
  ...(rpm === undefined ? {} : { rpmLimit: rpm === "none" ? null : rpm }),
  ...(expires === undefined ? {} : { expiresAtMs: expires === "never" ? null : Date.parse(expires) }),
  ...(label === undefined ? {} : { label: label === "" ? null : label }),
  ...(provider === undefined ? {} : { providerScope: provider }),
  ...(model === undefined ? {} : { models: model }),
  ...(allModels === undefined ? {} : { models: null }),
  ...(addModel === undefined ? {} : { addModels: addModel }),
  ...(removeModel === undefined ? {} : { removeModels: removeModel }),
  ...(tiers === undefined ? {} : { tiers }),
  ...(regions === undefined ? {} : { regions }),
});

const summaryOf = ({ rpm_limit, expires_at, provider_scope, models, tiers, regions }: KeyJson): string =>
  [
    `rpm ${rpm_limit ?? "unlimited"}`,
    `expires ${expires_at ?? "never"}`,
    `provider ${printable(provider_scope)}`,
    `models ${printable(modelsOf({ models, provider_scope }))}`,
    ...(tiers === null ? [] : [`tiers ${tiersOf(tiers)}`]),
    ...(regions === null ? [] : [`regions ${regionsOf(regions)}`]),
  ].join(", ");
