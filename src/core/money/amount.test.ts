import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAmount, parseAmount, UNITS } from "./amount.ts";

test.each(UNITS)("an amount of %s is read back as it was written", (unit) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), (amount) => {
      expect(parseAmount(unit, formatAmount(unit, amount))).toBe(amount);
    }),
  );
});

test.each(["", "-", "1,5", "0x10", "1e3", "--1", " 1"])("%j is no amount", (text) => {
  for (const unit of UNITS) expect(parseAmount(unit, text)).toBeNull();
});
