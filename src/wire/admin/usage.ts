import { z } from "zod";
import { formatAmount } from "../../core/amount.ts";
import { USAGE_GROUPS } from "../../core/usage-group.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";
import { namedHolder } from "./holder.ts";

export const usageQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(366).default(7).describe("Number of days, including today (UTC)."),
  by: z
    .enum(USAGE_GROUPS)
    .default("model")
    .describe("Group by model, key, label, or the accounts next below, each with all that is below it."),
});

const spent = {
  credits: amountIn("credit").describe("Credits charged."),
  tokens: amountIn("tokens").describe("Tokens charged to limits in tokens."),
  requests: z.int(),
  cut_off: z.int().describe("How many of these requests ended early and were charged for the output delivered."),
  input_tokens: z.int(),
  output_tokens: z.int(),
};

const totalSchema = z.object(spent);

export const usageReportSchema = z
  .object({
    ...namedHolder,
    by: z.enum(USAGE_GROUPS),
    days: z
      .array(z.object({ day: z.iso.date(), ...spent }))
      .describe("One row per day, oldest first, including today."),
    groups: z
      .array(z.object({ id: z.string(), name: z.string(), ...spent }))
      .describe("Per model, key, label or account, most expensive first."),
    more_groups: z
      .int()
      .describe(
        "How many groups are not listed; at most 1,000 are. Days include them. For the rest ask for an account below.",
      ),
  })
  .meta({ id: "UsageReport" })
  .transform(({ days, groups, more_groups: moreGroups, ...report }) => {
    const totalOf = ({ cut_off: cutOff, input_tokens: inputTokens, output_tokens: outputTokens, ...total }: Total) => ({
      ...total,
      cutOff,
      inputTokens,
      outputTokens,
    });
    return {
      ...report,
      days: days.map(({ day, ...total }) => ({ day, ...totalOf(total) })),
      groups: groups.map(({ id, name, ...total }) => ({ id, name, ...totalOf(total) })),
      moreGroups,
    };
  });

type Total = z.output<typeof totalSchema>;
export type UsageReportJson = WrittenAs<typeof usageReportSchema>;
export type UsageTotalJson = WrittenAs<typeof totalSchema>;

export function usageReportView({
  key,
  account,
  by,
  days,
  groups,
  moreGroups,
}: ReadAs<typeof usageReportSchema>): UsageReportJson {
  const totalView = (total: Omit<(typeof days)[number], "day">): UsageTotalJson => ({
    credits: formatAmount("credit", total.credits),
    tokens: formatAmount("tokens", total.tokens),
    requests: total.requests,
    cut_off: total.cutOff,
    input_tokens: total.inputTokens,
    output_tokens: total.outputTokens,
  });
  return {
    key,
    account,
    by,
    days: days.map(({ day, ...total }) => ({ day, ...totalView(total) })),
    groups: groups.map(({ id, name, ...total }) => ({ id, name, ...totalView(total) })),
    more_groups: moreGroups,
  };
}
