import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import { GatewayRefusalError } from "../../../admin-client/ask-gateway.ts";
import { BUDGET_PERIODS, type BudgetPeriod } from "../../../core/money/budget-period.ts";
import { Conflict } from "../../../core/conflict.ts";
import { Fault } from "../../../core/fault.ts";
import type { TopUpKind } from "../../../core/money/top-up-kind.ts";
import { formatCredits } from "../../../core/money/money.ts";
import { fundedKey, type FundedKeyJson } from "../../../contract/funds.ts";
import { written } from "../../../wire/validate.ts";
import { whyRefused } from "../../../db/database-error.ts";
import { creditAmount, keyName, tokenCount } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { grouped } from "../../text/cell.ts";
import { printResult } from "../../text/print.ts";
import { CommandError } from "../../report-failure.ts";

type TopUpOptions = { ref?: string; kind: TopUpKind; json?: true };
type BudgetOptions = { ref?: string; period?: BudgetPeriod; json?: true };

const KINDS: Record<TopUpKind, string> = { purchase: "paid for", grant: "free of charge", adjust: "a correction" };
export const REFERENCE_HELP =
  "reference of this operation; repeating the command with the same reference books it once (default: a new one)";

/** `tollgate topup` and `tollgate budget`. */
export function addFundsCommands(program: Command): void {
  const kinds = Object.entries(KINDS).map(([kind, meaning]) => `${kind} (${meaning})`);
  program
    .command("topup")
    .argument("<key>", "id or prefix", keyName)
    .argument("<amount>", "credits, such as 25 or 0.50; negative only with --kind adjust", creditAmount)
    .description("add credit to a key, once per reference")
    .addOption(
      new Option("--kind <kind>", `kind of top-up: ${kinds.join(", ")}`)
        .choices(Object.keys(KINDS))
        .default("purchase"),
    )
    .option("--ref <name>", REFERENCE_HELP)
    .option("--json", "print JSON")
    .action(async (name: string, amount: bigint, options: TopUpOptions, command: Command) => {
      const reference = options.ref ?? `topup:${randomUUID()}`;
      await withOperator(command, async (operator, by) => {
        const order = { amount, kind: options.kind, reference };
        const funded = written(fundedKey, await booked(operator.funds.topUp(name, order, by), reference));
        printResult(funded, { json: options.json === true, text: () => topUpText(funded, amount) });
      });
    });

  program
    .command("budget")
    .argument("<key>", "id or prefix", keyName)
    .argument("<tokens>", "tokens the key may use per period, such as 5_000_000", tokenCount)
    .description("set the token budget of a key, starting with the current period")
    .addOption(new Option("--period <period>", "how often it renews (default: unchanged)").choices(BUDGET_PERIODS))
    .option("--ref <name>", REFERENCE_HELP)
    .option("--json", "print JSON")
    .action(async (name: string, budget: number, options: BudgetOptions, command: Command) => {
      const reference = options.ref ?? `budget:${randomUUID()}`;
      await withOperator(command, async (operator, by) => {
        const order = { budget: BigInt(budget), period: options.period ?? null, reference };
        const funded = written(fundedKey, await booked(operator.funds.setBudget(name, order, by), reference));
        printResult(funded, { json: options.json === true, text: () => budgetText(funded) });
      });
    });
}

/** A refusal is certain. After any other failure nobody knows whether it was booked, but asking again does no harm. */
export async function booked<Done>(booking: Promise<Done>, reference: string): Promise<Done> {
  try {
    return await booking;
  } catch (error) {
    if (error instanceof Fault || error instanceof Conflict || error instanceof GatewayRefusalError) throw error;
    if (whyRefused(error) !== null) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `${reason.replace(/\.$/, "")}. It is not known whether this was booked. Repeat the command with --ref ${reference}: it is booked only once.`,
      { cause: error },
    );
  }
}

function topUpText({ key, result, reference, funds }: FundedKeyJson, amount: bigint): string {
  const booking =
    result === "funded"
      ? `Added ${grouped(formatCredits(amount))} credits to ${key.prefix}….`
      : `Already booked to ${key.prefix}… under this reference. Nothing changed.`;
  return `${booking}\nbalance    ${grouped(funds.balance)}\nreference  ${reference}`;
}

function budgetText({ key, result, reference, funds }: FundedKeyJson): string {
  const per = funds.period === "none" ? "in total" : `per ${funds.period ?? ""}`;
  const change =
    result === "funded"
      ? `${key.prefix}… may use ${grouped(funds.budget ?? "0")} tokens ${per}.`
      : `Already set for ${key.prefix}… under this reference. Nothing changed.`;
  return `${change}\navailable  ${grouped(funds.balance)}\nreference  ${reference}`;
}
