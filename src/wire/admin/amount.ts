import { z } from "zod";
import { formatAmount, parseAmount, type Unit } from "../../core/money/amount.ts";
import { formatCredits } from "../../core/money/money.ts";
import { CREDITS_EXPECTED, creditsOf } from "../../core/money/read-credits.ts";
import { storable } from "../storable.ts";

/** An amount of whichever unit the key has. */
export const amount = z.string().describe("Exact decimal in the unit of the key.");

/** Reads the amounts of an answer. */
export const amountsIn =
  (unit: Unit, context: z.core.$RefinementCtx) =>
  (text: string): bigint => {
    const read = parseAmount(unit, text);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: `${JSON.stringify(text)} is not an amount of ${unit}` });
    return 0n;
  };

/** The same in a codec. */
export function readAmount(unit: Unit, text: string, { issues }: z.core.ParsePayload): bigint {
  const read = parseAmount(unit, text);
  if (read === null)
    issues.push({ code: "custom", message: `${JSON.stringify(text)} is not an amount of ${unit}`, input: text });
  return read ?? 0n;
}

type Measured<Row, Field> = {
  [Name in keyof Row]: Name extends Field ? bigint | Extract<Row[Name], null> : Row[Name];
};

/** An object that names the unit of its amounts, which are in these fields. Without a unit they are tokens. */
export function measured<Json extends z.ZodType<{ unit: Unit | null }>, const Field extends keyof z.output<Json>>(
  json: Json,
  fields: readonly Field[],
) {
  type Row = z.output<Json>;
  const unitOf = (row: { unit: Unit | null }): Unit => row.unit ?? "tokens";
  const each = <Value>(row: object, convert: (value: Value) => unknown): object => {
    const values = row as Readonly<Record<Field, Value | null>>;
    const amounts = fields.map((name) => {
      const value = values[name];
      return [name, value === null ? null : convert(value)];
    });
    return { ...row, ...Object.fromEntries(amounts) };
  };
  return z.codec(json, z.custom<Measured<Row, Field>>(), {
    decode: (row, payload) =>
      each(row, (text: string) => readAmount(unitOf(row), text, payload)) as Measured<Row, Field>,
    encode: (value) => each(value as object, amountsOf(unitOf(value as { unit: Unit | null }))) as Row,
  });
}

export const amountsOf =
  (unit: Unit) =>
  (value: bigint): string =>
    formatAmount(unit, value);

/** Credits, as a decimal in text, since a JSON number would pass through a double. */
export const credits = z.codec(
  z
    .string()
    .min(1)
    .max(40)
    .refine((text) => creditsOf(text) !== null, CREDITS_EXPECTED),
  z.bigint(),
  { decode: (text) => creditsOf(text) ?? 0n, encode: formatCredits },
);
export const tokens = z.codec(z.int().min(0), z.bigint(), { decode: BigInt, encode: Number });
export const reference = storable(200)
  .min(1)
  .describe("Unique name of the operation; a repeat with the same reference changes nothing.");
