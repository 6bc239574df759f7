import { z } from "zod";
import { type Decimal, formatDecimal, parseDecimal, ZERO } from "../../core/money/decimal.ts";

/** A decimal of any length, as text: a JSON number would pass through a double. */
export const decimal = (says: string, example: string) =>
  z.codec(
    z
      .string()
      .describe(says)
      .meta({ examples: [example] }),
    z.custom<Decimal>(),
    {
      decode: (text, { issues }) => {
        const read = parseDecimal(text);
        if (read === null)
          issues.push({ code: "custom", message: `${JSON.stringify(text)} is no decimal`, input: text });
        return read ?? ZERO;
      },
      encode: formatDecimal,
    },
  );
