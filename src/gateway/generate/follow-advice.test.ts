import fc from "fast-check";
import { expect, test } from "vitest";
import { DONE, EVENT, generationStage, MODEL, pieces, USAGE } from "../../../tests/support/generation-stage.ts";
import { Fault } from "../../core/fault.ts";
import { roundedUp } from "../../core/money/pay-rate.ts";

const price = fc.bigInt({ min: 0n, max: 60_000_000_000n });
const FIELDS = ["max_tokens", "max_completion_tokens"] as const;

/** The limit that a refusal names, or null when it names none. */
async function advised(refused: Promise<unknown>): Promise<{ field: string; limit: number } | "admitted" | null> {
  const fault: unknown = await refused.then(
    () => null,
    (error: unknown) => error,
  );
  if (fault === null) return "admitted";
  expect(fault).toBeInstanceOf(Fault);
  const [, field, limit = ""] = /set (\w+) to ([\d,]+) or less/.exec((fault as Fault).message) ?? [];
  return field === undefined ? null : { field, limit: Number(limit.replaceAll(",", "")) };
}

test("whoever sends the limit that a refusal names is admitted, whether or not one was set before [MON-20]", async () => {
  const request = fc.record({
    inputNano: price,
    outputNano: price,
    words: fc.nat({ max: 200 }),
    asked: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: null }),
    field: fc.constantFrom(...FIELDS),
    choices: fc.integer({ min: 1, max: 3 }),
    /** How much of what the request needs the key has, in thousandths. */
    share: fc.integer({ min: 0, max: 999 }),
    spaces: fc.constantFrom(0, 2, 4),
  });
  let followed = 0;

  await fc.assert(
    fc.asyncProperty(request, async ({ inputNano, outputNano, words, asked, field, choices, share, spaces }) => {
      const tariff = { ...MODEL.price, version: 3, inputNano, outputNano } as NonNullable<typeof MODEL.price>;
      const model = { ...MODEL, maxOutputTokens: 20_000, contextWindow: 1_000_000, outputFloor: 1_024, price: tariff };
      const messages = [{ role: "user", content: "word ".repeat(words) }];
      const body = { model: "m", messages, n: choices, ...(asked !== null && { [field]: asked }) };
      const bytes = BigInt(JSON.stringify(body, null, spaces).length);
      const needs = roundedUp(bytes * inputNano + BigInt(asked ?? 1_024) * BigInt(choices) * outputNano);
      const credits = (needs * BigInt(share)) / 1_000n;
      const stage = () => generationStage(pieces(EVENT, USAGE, DONE), { credits, model });

      const first = stage();
      const advice = await advised(
        first.generate(first.askText(JSON.stringify({ ...body, stream: true }, null, spaces))),
      );
      if (advice === null || advice === "admitted") return;
      expect(advice.limit).toBeGreaterThan(0);
      followed++;
      const second = stage();
      const obeying = JSON.stringify({ ...body, stream: true, [advice.field]: advice.limit }, null, spaces);

      expect(await advised(second.generate(second.askText(obeying)))).toBe("admitted");
    }),
    { numRuns: 300 },
  );
  expect(followed).toBeGreaterThan(50);
});
