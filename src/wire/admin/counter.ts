import { z } from "zod";
import { UNITS } from "../../core/money/amount.ts";
import { BUDGET_PERIODS } from "../../core/money/budget-period.ts";
import { COUNTER_KINDS } from "../../core/money/counter.ts";
import type { WrittenAs } from "../validate.ts";
import { amount, amountsOf, readAmount } from "./amount.ts";
import { instant } from "../instant.ts";

const counterJson = z
  .object({
    id: z.int(),
    kind: z.enum(COUNTER_KINDS).describe("`purse`: prepaid credit. `limit`: an amount per period."),
    unit: z.enum(UNITS),
    own: z.boolean().describe("True if it is the key's own, first one."),
    account_id: z.uuid().nullable().describe("Id of the account it belongs to; null: a key."),
    holder: z.string().nullable().describe("Name of the account it belongs to; null: a key."),
    models: z.array(z.string()).nullable().describe("Patterns of the models it counts; null: all models."),
    amount: amount.describe("Of a limit: the amount per period. Of a purse: 0."),
    period: z.enum(BUDGET_PERIODS).describe("How often it renews, in UTC; `none`: never."),
    charged: amount.describe("Of a limit: charged in this period. Of a purse: all charges."),
    reserved: amount.describe("Reserved by requests in progress."),
    available: amount.describe("What is left for new requests."),
    funded: amount.describe("Of a purse: all that was funded. Of a limit: 0."),
    refunded: amount.describe("Given back by refunds; of a limit, in this period."),
    renews_at: instant.nullable().describe("When it renews; null: never."),
  })
  .meta({ id: "Counter" });

function read(row: z.output<typeof counterJson>, payload: z.core.ParsePayload) {
  const amountOf = (text: string): bigint => readAmount(row.unit, text, payload);
  const held = amountOf(row.reserved);
  return {
    id: row.id,
    kind: row.kind,
    unit: row.unit,
    own: row.own,
    accountId: row.account_id,
    holder: row.holder,
    models: row.models,
    amount: amountOf(row.amount),
    period: row.period,
    posted: amountOf(row.available) + held,
    held,
    used: amountOf(row.charged),
    funded: amountOf(row.funded),
    refunded: amountOf(row.refunded),
    renewsAtMs: row.renews_at,
  };
}

/** A purse or a limit. Amounts are exact decimals in its own unit. */
export const counterSchema = z.codec(counterJson, z.custom<ReturnType<typeof read>>(), {
  decode: read,
  encode: (counter) => {
    const write = amountsOf(counter.unit);
    return {
      id: counter.id,
      kind: counter.kind,
      unit: counter.unit,
      own: counter.own,
      account_id: counter.accountId,
      holder: counter.holder,
      models: counter.models,
      amount: write(counter.amount),
      period: counter.period,
      charged: write(counter.used),
      reserved: write(counter.held),
      available: write(counter.posted - counter.held),
      funded: write(counter.funded),
      refunded: write(counter.refunded),
      renews_at: counter.renewsAtMs,
    };
  },
});

export type CounterJson = WrittenAs<typeof counterSchema>;
