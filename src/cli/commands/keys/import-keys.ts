import { type Command, Option } from "commander";
import { type LitellmKey, readLitellmKeys } from "../../../config/litellm/read-keys.ts";
import { parseFactor } from "../../../config/price-list/read-price-list.ts";
import { readTextFile } from "../../../config/read/read-text-file.ts";
import type { By } from "../../../core/people/by.ts";
import { Conflict } from "../../../core/conflict.ts";
import { Fault } from "../../../core/fault.ts";
import { invariant } from "../../../core/invariant.ts";
import { GatewayRefusalError } from "../../../admin-client/ask-gateway.ts";
import type { Operator } from "../../../operator/operator.ts";
import { creditAmount } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { type ImportedKey, keyImportText, keyImportView } from "../../text/keys/key-import-text.ts";
import { printResult } from "../../text/print.ts";

type Options = { credit?: bigint; apply?: true; json?: true };

const BAD_REQUEST = 400;
const CONFLICT = 409;
const FILE_BYTES = 256 * 1024 * 1024;

/** `tollgate keys import`: takes over keys of which only digests are known, so that clients keep their secrets. */
export function addKeyImportCommand(keys: Command): void {
  keys
    .command("import")
    .argument("<file>", "rows of LiteLLM_VerificationToken, one JSON object per line")
    .description("take over keys of LiteLLM by their digests, so that clients keep their secrets; --apply creates them")
    .addOption(new Option("--from <format>", "where the keys come from").choices(["litellm"]).makeOptionMandatory())
    .option("--credit <amount>", "credit for each key that has no budget in the file (default: none)", creditAmount)
    .option("--apply", "create the keys; without it, only show them")
    .option("--json", "print JSON")
    .action(async (file: string, options: Options, command: Command) => {
      const text = readTextFile(file, FILE_BYTES);
      await withOperator(command, async (operator, by, { config }) => {
        const creditUsd = parseFactor(config.creditUsd);
        const markup = parseFactor("1");
        invariant(creditUsd && markup, "a credit is worth something");
        const list = readLitellmKeys(text, { path: file, exchange: { markup, creditUsd }, nowMs: Date.now() });
        const rows: ImportedKey[] = [];
        for (const key of list.keys) {
          const credit = key.creditNano ?? options.credit ?? 0n;
          const made = options.apply ? await create(operator, { ...key, credit }, by) : { outcome: "planned" as const };
          rows.push({ ...key, credit, prefix: null, problem: null, ...made });
        }
        const report = { rows, skipped: list.skipped, applied: options.apply === true };
        printResult(keyImportView(report), {
          json: options.json === true,
          text: (screen) => keyImportText(report, screen),
        });
        if (rows.some(({ outcome }) => outcome === "refused")) process.exitCode = 1;
      });
    });
}

type Outcome = Pick<ImportedKey, "outcome"> & Partial<Pick<ImportedKey, "prefix" | "problem">>;

/** One key. That it is there already is the end that was wanted: a list can be imported again. */
async function create({ keys }: Operator, key: LitellmKey & { credit: bigint }, by: By): Promise<Outcome> {
  const { digest, label, models, rpmLimit, expiresAtMs, credit } = key;
  const unlimited = { providerScope: "all", tiers: null, regions: null };
  const order = { mode: "credit" as const, label, ...unlimited, models, rpmLimit, expiresAtMs };
  const funds = { credit, budget: null, period: null };
  try {
    const { key: made } = await keys.create({ ...order, ...funds, existing: { digest } }, by);
    return { outcome: "created", prefix: made.prefix };
  } catch (error) {
    const status = error instanceof GatewayRefusalError ? error.status : null;
    if (error instanceof Conflict || status === CONFLICT) return { outcome: "present" };
    const isRefusal = (error instanceof Fault && error.code === "invalid_request") || status === BAD_REQUEST;
    // What holds for every key of the list ends the command.
    if (isRefusal && error instanceof Error && !error.message.includes("keys.accept_foreign"))
      return { outcome: "refused", problem: error.message };
    throw error;
  }
}
