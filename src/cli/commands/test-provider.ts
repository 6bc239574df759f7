import { type Command, Option } from "commander";
import { PROVIDER_DIALECTS, type ProviderDialect } from "../../core/dialect.ts";
import { PROBE_OUTPUT_TOKENS } from "../../core/probe.ts";
import { withOperator } from "../open-operator.ts";
import { printable } from "../text/cell.ts";
import { printResult } from "../text/print.ts";
import { chooseTarget } from "../choose-target.ts";
import { probeText, probeView } from "../text/probe-text.ts";

type TestOptions = { model?: string; format?: ProviderDialect; json?: true };

/** `tollgate providers test`: one small call, which costs what the provider asks for it. */
export function addProviderTestCommand(providers: Command): void {
  providers
    .command("test")
    .argument("<name>", "a provider")
    .description("make one small call to a provider, at its price, and say how it answered; exit 1 when it failed")
    .option("--model <id>", "a model with a route there, or one by the provider's own name")
    .addOption(
      new Option("--format <format>", "only routes of this format; of a model without one, its format (chat)").choices(
        PROVIDER_DIALECTS,
      ),
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: TestOptions, command: Command) => {
      await withOperator(command, async (operator) => {
        const provider = await operator.providers.show(name);
        const choice = chooseTarget(provider, { model: options.model, dialect: options.format });
        process.stderr.write(
          `making one call to ${provider.baseUrl}: ${printable(choice.upstreamModel)}, at most ${PROBE_OUTPUT_TOKENS} tokens of output\n`,
        );
        const { upstreamModel, dialect } = choice;
        const result = await operator.providers.probe(name, { upstreamModel, dialect });
        const report = { provider: name, choice, result };
        printResult(probeView(report), { json: options.json === true, text: (screen) => probeText(report, screen) });
        process.exitCode = result.problem === null ? 0 : 1;
      });
    });
}
