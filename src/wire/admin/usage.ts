import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf } from "./amount.ts";
import { namedKey } from "./funds.ts";

export const usageQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(366).default(7).describe("Number of days, including today (UTC)."),
});

const spent = {
  cost: amount,
  requests: z.int(),
  cut_off: z.int().describe("How many of these requests ended early and were charged for the output delivered."),
  input_tokens: z.int(),
  output_tokens: z.int(),
};

const totalSchema = z.object(spent);

export const usageReportSchema = z
  .object({
    key: namedKey,
    unit: z.enum(UNITS),
    days: z
      .array(z.object({ day: z.iso.date(), ...spent }))
      .describe("One row per day, oldest first, including today."),
    models: z.array(z.object({ model: z.string(), ...spent })).describe("Per model, most expensive first."),
  })
  .meta({ id: "UsageReport" })
  .transform(({ key, unit, days, models }, context) => {
    const read = amountsIn(unit, context);
    const totalOf = (total: z.output<typeof totalSchema>) => ({
      cost: read(total.cost),
      requests: total.requests,
      cutOff: total.cut_off,
      inputTokens: total.input_tokens,
      outputTokens: total.output_tokens,
    });
    return {
      key,
      unit,
      days: days.map(({ day, ...total }) => ({ day, ...totalOf(total) })),
      models: models.map(({ model, ...total }) => ({ model, ...totalOf(total) })),
    };
  });

export type UsageReportJson = WrittenAs<typeof usageReportSchema>;

export function usageReportView({ key, unit, days, models }: ReadAs<typeof usageReportSchema>): UsageReportJson {
  const write = amountsOf(unit);
  const totalView = (total: Omit<(typeof days)[number], "day">): WrittenAs<typeof totalSchema> => ({
    cost: write(total.cost),
    requests: total.requests,
    cut_off: total.cutOff,
    input_tokens: total.inputTokens,
    output_tokens: total.outputTokens,
  });
  return {
    key,
    unit,
    days: days.map(({ day, ...total }) => ({ day, ...totalView(total) })),
    models: models.map(({ model, ...total }) => ({ model, ...totalView(total) })),
  };
}
