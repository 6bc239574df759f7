import type { Command } from "commander";
import { rekeyed as rekeyedSchema } from "../../../contract/providers.ts";
import { written } from "../../../wire/validate.ts";
import { withOperator } from "../../open-operator.ts";
import { printResult } from "../../text/print.ts";
import { rekeyText } from "../../text/catalogue/rekey-text.ts";

/** `tollgate providers rekey`. */
export function addProviderRekeyCommand(providers: Command): void {
  providers
    .command("rekey")
    .description("re-encrypt stored credentials with credential.key, decrypting them with credential.previous_key")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const rekeyed = await operator.providers.rekey(by);
        printResult(written(rekeyedSchema, rekeyed), { json: options.json === true, text: () => rekeyText(rekeyed) });
        process.exitCode = rekeyed.unopened.length === 0 ? 0 : 1;
      });
    });
}
