import { type Command, Option } from "commander";
import { ROUTE_FORMATS, type RouteFormat } from "../../../core/request/dialect.ts";
import { PROBE_OUTPUT_TOKENS } from "../../../core/catalogue/probe.ts";
import { withOperator } from "../../open-operator.ts";
import { printable } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";
import { chooseTarget } from "../../input/choose-target.ts";
import { probeText, probeView } from "../../text/catalogue/probe-text.ts";

type TestOptions = { model?: string; format?: RouteFormat; json?: true };

/** `tollgate providers test`: one small call, which costs what the provider asks for it. */
export function addProviderTestCommand(providers: Command): void {
  providers
    .command("test")
    .argument("<name>", "name of a provider")
    .description("send one small request to a provider, at its price, and report the response")
    .option("--model <id>", "a model with a route to it, or a model name of the provider")
    .addOption(
      new Option(
        "--format <format>",
        "use routes of this format; for a model without a route, the format to use (default: chat)",
      ).choices(ROUTE_FORMATS),
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: TestOptions, command: Command) => {
      await withOperator(command, async (operator) => {
        const provider = await operator.providers.show(name);
        const choice = chooseTarget(provider, { model: options.model, dialect: options.format });
        process.stderr.write(
          `Sending one request to ${provider.baseUrl}: ${printable(choice.upstreamModel)}, at most ${PROBE_OUTPUT_TOKENS} output tokens\n`,
        );
        const { upstreamModel, dialect } = choice;
        const result = await operator.providers.probe(name, { upstreamModel, dialect });
        const report = { provider: name, choice, result };
        printResult(probeView(report), { json: options.json === true, text: (screen) => probeText(report, screen) });
        process.exitCode = result.problem === null ? 0 : 1;
      });
    });
}
