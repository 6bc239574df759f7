import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import type { DraftedCertificate } from "../../../app/catalogue/draft-certificate.ts";
import { migrate } from "../../../db/schema/migrate.ts";
import { schemaFolder } from "../../../db/schema-files.ts";
import { createPglite } from "../../../db/pglite/pglite.ts";
import { creditAmount, durationMs } from "../../arguments.ts";
import { chooseCertified } from "../../input/choose-certified.ts";
import { confirm } from "../../input/confirm.ts";
import { withOperator } from "../../open-operator.ts";
import { packageVersion } from "../../../config/package-version.ts";
import { CommandError } from "../../report-failure.ts";
import { planText, summaryText, tooLittle, trialText } from "../../text/catalogue/certify-text.ts";
import { screenOf } from "../../text/screen.ts";

type CertifyOptions = {
  model?: string[];
  spend: bigint;
  report?: string;
  recordings?: string;
  timeout: number;
  yes?: true;
  json?: true;
};

/** Something of the account was about to be written. */
const LEAKED = 3;
const DEFAULT_TIMEOUT = "120s";

/** `tollgate providers certify`: a fixed list of trials with the operator's own account, within a stated spend. */
export function addProviderCertifyCommand(providers: Command): void {
  providers
    .command("certify")
    .argument("<name>", "name of a provider")
    .description("test a provider with your own account: streams, usage, cache, cancellation, tools and errors")
    .requiredOption("--spend <credits>", "the most it may cost, at the prices of the catalogue", creditAmount)
    .option("--model <ids...>", "models with a route to it (default: the one with the lowest output price)")
    .option("--report <file>", "write the report to this file (default: standard output)")
    .option("--recordings <folder>", "write the provider's responses to this folder, scrubbed")
    .option("--timeout <duration>", "how long to wait for a response", durationMs, durationMs(DEFAULT_TIMEOUT))
    .option("--yes", "start without asking")
    .option("--json", "print or write the report as JSON")
    .addHelpText(
      "after",
      `\nExit code ${LEAKED}: the report or a recording would have contained a secret or an id; nothing was written.`,
    )
    .action(certify);
}

async function certify(name: string, options: CertifyOptions, command: Command): Promise<void> {
  await withOperator(command, async (operator, _by, { config, readCredential, through }) => {
    // Loaded here because the whole gateway is behind it.
    const { certifyProvider } = await import("../../../app/catalogue/certify-provider.ts");
    const { draftCertificate } = await import("../../../app/catalogue/draft-certificate.ts");
    const { planCertification } = await import("../../../app/catalogue/plan-certification.ts");
    const provider = await operator.providers.show(name);
    if (through === "gateway" && provider.credentialRef === "stored") {
      throw new CommandError(
        `the credential of ${name} is stored in the database of the running gateway. Unset TOLLGATE_URL and set DATABASE_URL, or use a reference such as env:NAME.`,
      );
    }
    const credential = await readCredential(provider);
    const chosen = await chooseCertified(operator, provider, options.model ?? []);
    const { plan, termsOf } = planCertification(chosen, { hasCredential: credential !== null });
    if (options.spend < plan.sufficientNano) throw new CommandError(tooLittle(plan, options.spend));
    process.stderr.write(planText(plan, { provider, spendNano: options.spend }));
    if (!options.yes)
      await confirm({ about: "this calls the provider at your cost.", option: "--yes", declined: "nothing was sent." });
    const database = await createPglite({ dataFolder: null });
    await migrate(database, { folder: schemaFolder() });
    const screen = screenOf(process.stderr);
    const total = plan.subjects.reduce((sum, { trials }) => sum + trials.length + 1, 0);
    let done = 0;
    const certified = await certifyProvider({
      provider: { ...provider, credential },
      plan,
      termsOf,
      spendNano: options.spend,
      timeoutMs: options.timeout,
      config,
      database,
      version: packageVersion(),
      onTrial: (subject, trial) => process.stderr.write(trialText({ subject, trial, done: ++done, total }, screen)),
    });
    deliver(draftCertificate(certified, options.json === true), options);
  });
}

/** Everything is looked at before anything is written. */
function deliver(drafted: DraftedCertificate, options: CertifyOptions): void {
  if (drafted.leaks.length > 0) {
    for (const { path, what, how } of drafted.leaks) process.stderr.write(`leak: ${path} contains ${what} ${how}\n`);
    process.stderr.write("Nothing was written. Report this as a bug of Tollgate; do not attach the responses.\n");
    process.exitCode = LEAKED;
    return;
  }
  writeFiles(drafted, options);
  process.exitCode = drafted.passed ? 0 : 1;
}

function writeFiles(drafted: DraftedCertificate, { report, recordings, json }: CertifyOptions): void {
  if (recordings !== undefined) {
    for (const { path, text } of drafted.recordings) {
      mkdirSync(dirname(join(recordings, path)), { recursive: true });
      writeFileSync(join(recordings, path), text);
    }
  }
  if (report === undefined) process.stdout.write(drafted.report.text);
  else {
    writeFileSync(report, drafted.report.text);
    process.stdout.write(
      json
        ? `${JSON.stringify({ report, recordings: recordings ?? null, certified: drafted.passed })}\n`
        : summaryText(drafted, { report, recordings: recordings ?? null }),
    );
  }
}
