import { type Command, Option } from "commander";
import { withOperator } from "../open-operator.ts";
import { printResult } from "../text/print.ts";
import { isSentInTheClear, readProviderOrder } from "../provider-order.ts";
import { PRESETS } from "../provider-presets.ts";
import { warn } from "../text/screen.ts";
import { credentialText } from "../text/provider-text.ts";
import { readCredential } from "../read-credential.ts";
import { CommandError } from "../report-failure.ts";

type AddOptions = {
  url?: string;
  credential?: string;
  credentialStdin?: true;
  preset?: string;
  unknownMembers?: "forward" | "drop";
  openMembers?: string;
  replace?: true;
  json?: true;
};

/** `tollgate providers add`. */
export function addProviderAddCommand(providers: Command): void {
  providers
    .command("add")
    .argument("<name>", "what to call it")
    .description("add a provider, with the place of its credential or with the credential itself, which is encrypted")
    .option("--url <url>", "base URL up to and without the operation's path, such as https://api.example.com/v1")
    .option("--credential <reference>", "where its credential is found: env:NAME, file:/absolute/path, stored or none")
    .option("--credential-stdin", "read the credential from standard input and store it, encrypted with credential.key")
    .addOption(new Option("--preset <name>", "URL and credential of a known provider").choices(Object.keys(PRESETS)))
    .addOption(
      new Option(
        "--unknown-members <what>",
        "what it is told of members nobody here knows (default: forward at OpenAI and Anthropic, else drop)",
      ).choices(["forward", "drop"]),
    )
    .option("--open-members <names>", "unknown members it is told all the same, such as top_k,reasoning*")
    .option("--replace", "change one that is there already with another URL or credential")
    .option("--json", "print JSON")
    .action(addProvider);
}

async function addProvider(name: string, options: AddOptions, command: Command): Promise<void> {
  if (options.credentialStdin && options.credential !== undefined) {
    throw new CommandError(
      "--credential says where the credential is, --credential-stdin brings it: give one of them.",
    );
  }
  const credential = options.credentialStdin ? { credential: "stored" } : {};
  const order = readProviderOrder(name, { ...options, ...credential });
  await withOperator(command, async ({ providers }, by, { through }) => {
    const secret = options.credentialStdin ? await readCredential(process.stdin) : null;
    const present = options.replace ? "replace" : "keep";
    const { result, provider } = await providers.add({ ...order, secret, present }, by);
    if (isSentInTheClear(order)) {
      warn(`${order.baseUrl} is not https, so the credential can be read on the way`);
    }
    // What this command could have of it says nothing about the gateways of the database.
    if (through === "gateway" && provider.credentialProblem !== null) {
      const problem = `the running gateway cannot have the credential: ${provider.credentialProblem}`;
      warn(`${problem} Set it up there, or store it with --credential-stdin --replace.`);
    }
    printResult(
      { provider: name, result, base_url: order.baseUrl, credential: order.credentialRef },
      {
        json: options.json === true,
        text: () => `${result} ${name} at ${order.baseUrl}, credential ${credentialText(provider)}`,
      },
    );
  });
}
