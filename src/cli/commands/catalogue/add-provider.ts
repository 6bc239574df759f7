import { type Command, Option } from "commander";
import { withOperator } from "../../open-operator.ts";
import { printResult } from "../../text/print.ts";
import { isSentInTheClear, readProviderOrder } from "../../input/provider-order.ts";
import { PRESETS } from "../../../core/catalogue/provider-presets.ts";
import { warn } from "../../text/screen.ts";
import { credentialText } from "../../text/catalogue/provider-text.ts";
import { readCredential } from "../../input/read-credential.ts";
import { CommandError } from "../../report-failure.ts";

type AddOptions = {
  url?: string;
  credential?: string;
  credentialStdin?: true;
  preset?: string;
  region?: string;
  resource?: string;
  project?: string;
  unknownMembers?: "forward" | "drop";
  openMembers?: string;
  contextWindow?: "strict";
  traceparent?: "send";
  platform?: string;
  replace?: true;
  json?: true;
};

const RESULTS = { added: "Added", changed: "Changed", unchanged: "No change to" } as const;

/** `tollgate providers add`. */
export function addProviderAddCommand(providers: Command): void {
  providers
    .command("add")
    .argument("<name>", "its name in the catalogue, logs and metrics")
    .description("add a provider, with a reference to its credential or with the credential itself, stored encrypted")
    .option("--url <url>", "base URL without the operation's path, such as https://api.example.com/v1")
    .option(
      "--credential <reference>",
      "where to find its credential: env:NAME, file:/absolute/path, stored or none; or a cloud identity of the gateway: aws, aws:ROLE_ARN, google or entra",
    )
    .option("--credential-stdin", "read the credential from standard input and store it, encrypted with credential.key")
    .addOption(
      new Option("--preset <name>", "use the URL and credential reference of a known provider").choices(
        Object.keys(PRESETS),
      ),
    )
    .option("--region <region>", "the cloud region of a --preset that needs one, such as eu-central-1")
    .option("--resource <name>", "the Azure resource of a --preset that needs one")
    .option("--project <id>", "the Google Cloud project of a --preset that needs one")
    .addOption(
      new Option(
        "--unknown-members <what>",
        "what to do with unknown request fields (default: forward for OpenAI and Anthropic, otherwise drop)",
      ).choices(["forward", "drop"]),
    )
    .option("--open-members <names>", "unknown fields to forward even with drop, such as top_k,reasoning*")
    .addOption(
      new Option(
        "--context-window <what>",
        "strict: send only input that certainly fits the model's context window (default: also what may fit)",
      ).choices(["strict"]),
    )
    .addOption(
      new Option(
        "--traceparent <what>",
        "send: tell the provider the trace context of each call, if traces are collected (default: do not)",
      ).choices(["send"]),
    )
    .option(
      "--platform <name>",
      "call it as a cloud is called: vertex, bedrock, azure, or azure:API_VERSION for the addresses of deployments (default: what the base URL says)",
    )
    .option("--replace", "replace the URL or credential of an existing provider")
    .option("--json", "print JSON")
    .action(addProvider);
}

async function addProvider(name: string, options: AddOptions, command: Command): Promise<void> {
  if (options.credentialStdin && options.credential !== undefined) {
    throw new CommandError(
      "--credential names where to find the credential; --credential-stdin reads it. Use one of them.",
    );
  }
  const credential = options.credentialStdin ? { credential: "stored" } : {};
  const order = readProviderOrder(name, { ...options, ...credential });
  await withOperator(command, async ({ providers }, by, { through }) => {
    const secret = options.credentialStdin ? await readCredential(process.stdin) : null;
    const present = options.replace ? "replace" : "keep";
    const { result, provider } = await providers.add({ ...order, secret, present }, by);
    if (isSentInTheClear(order)) {
      warn(`${order.baseUrl} is not https: anyone on the network path can read the credential.`);
    }
    // What this command could have of it says nothing about the gateways of the database.
    if (through === "gateway" && provider.credentialProblem !== null) {
      const problem = `the running gateway cannot read the credential: ${provider.credentialProblem}`;
      warn(`${problem} Provide it there, or store it with --credential-stdin --replace.`);
    }
    printResult(
      { provider: name, result, base_url: order.baseUrl, credential: order.credentialRef },
      {
        json: options.json === true,
        text: () => `${RESULTS[result]} ${name}: ${order.baseUrl}, credential ${credentialText(provider)}.`,
      },
    );
  });
}
