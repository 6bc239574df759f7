import fc from "fast-check";
import { expect, test } from "vitest";
import { costIn, creditRate, TOKEN_RATE } from "../../core/money/pay-rate.ts";
import { tariffFault } from "../../core/money/rate-rows.ts";
import type { Tariff } from "../../core/money/price.ts";
import { withinReservation } from "./within-reservation.ts";

const amount = fc.bigInt({ min: 0n, max: 100_000_000_000n });
const count = fc.nat({ max: 3_000 });
const usages = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  cacheWrite1hTokens: count,
  reasoningTokens: count,
  toolCalls: fc.dictionary(fc.constantFrom("web_search", "constructor"), fc.nat({ max: 50 })),
});
const parts = fc.record({ inputNano: amount, outputNano: amount, cacheReadNano: amount, outputReasoningNano: amount });
const tariffs = fc
  .record({ base: parts, step: fc.option(fc.tuple(fc.nat({ max: 2_000 }), parts)) })
  .map(({ base, step }): Tariff => ({
    ...base,
    toolCallNano: { web_search: 7n },
    ...(step && {
      when: [{ when: { inputAbove: step[0] }, nano: step[1], toolCallNano: {}, times: null, sold: true }],
    }),
  }));

test("whatever is counted, what is charged by figures that are not sure fits into what was reserved, and is the price of what is shown", () => {
  const grant = fc.bigInt({ min: 0n, max: 10_000_000n });
  fc.assert(
    fc.property(usages, tariffs, grant, fc.constantFrom("credit", "both"), (usage, tariff, granted, units) => {
      expect(tariffFault(tariff)).toBeNull();
      const rates = { credits: creditRate(tariff), tokens: units === "both" ? TOKEN_RATE : null };
      const reserved = { credits: granted, tokens: units === "both" ? granted % 5_000n : null };

      const priced = withinReservation(usage, reserved, rates);

      expect((priced.charge.credits ?? 0n) <= granted).toBe(true);
      expect((priced.charge.tokens ?? 0n) <= (reserved.tokens ?? 0n)).toBe(true);
      expect(priced.charge).toEqual(costIn(rates, priced.usage));
    }),
    { numRuns: 3_000 },
  );
});
