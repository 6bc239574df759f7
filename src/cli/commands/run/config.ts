import type { Command } from "commander";
import { type ConfigRow, describeConfig } from "../../../config/describe.ts";
import { loadSettings } from "../../open-database.ts";
import { configListing } from "../../text/config-text.ts";
import { printResult } from "../../text/print.ts";

/** What scripts read; the rest is for the admin API. */
const settingJson = ({ path, value, source, environment, description }: ConfigRow) => ({
  path,
  value,
  source,
  environment,
  description,
});

/** `tollgate config show`: every value, where it came from, and never a secret. */
export function addConfigCommands(program: Command): void {
  const config = program.command("config").description("show the settings");
  config
    .command("show")
    .description("list every setting with its value and source; secrets are hidden")
    .option("--json", "print JSON")
    .action((options: { json?: true }, command: Command) => {
      const loaded = loadSettings(command.optsWithGlobals<{ config?: string }>().config);
      const rows = describeConfig(loaded.config, loaded.sources);
      printResult(
        { file: loaded.file, settings: rows.map(settingJson) },
        { json: options.json === true, text: (screen) => configListing(rows, screen) },
      );
    });
}
