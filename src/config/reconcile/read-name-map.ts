import { z } from "zod";
import { BILLED_KINDS, isKind } from "../../core/bills/kinds.ts";
import { type MeterName, type NameMap, type Payee, VENDORS, type VendorNames } from "../../core/bills/name-map.ts";
import { type Decimal, parseDecimal, wholeNumber } from "../../core/money/decimal.ts";
import { createReadFile } from "../read/described-file.ts";

const MOST_CHARACTERS = 500;
const name = z.string().min(1).max(MOST_CHARACTERS);
const billed = z.string().max(MOST_CHARACTERS);

const kind = name.refine(isKind, `Input should be a kind: ${BILLED_KINDS.join(", ")}`);

const UNITS: Readonly<Record<string, bigint>> = { "1": 1n, "1K": 1_000n, "1M": 1_000_000n };
const unit = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => unitOf(text) !== null, "Input should be 1K, 1M or a whole number");

const unitOf = (text: string): Decimal | null => {
  const known = UNITS[text];
  return known === undefined ? (/^[1-9]\d{0,9}$/.test(text) ? parseDecimal(text) : null) : wholeNumber(known);
};

const payee = z.union([
  name.transform((provider) => ({ provider })),
  z.strictObject({ provider: name, credential: name.exactOptional() }),
]);

const meter = z.strictObject({
  model: name.exactOptional(),
  kind,
  tier: name.exactOptional(),
  region: name.exactOptional(),
  unit: unit.exactOptional(),
});

const words = (to: z.ZodType<string>) => z.record(billed, to).default({});

const vendorNames = z.strictObject({
  provider: name.exactOptional(),
  credentials: z.record(billed, payee).default({}),
  models: words(name),
  tiers: words(name),
  regions: words(name),
  kinds: words(kind),
  names: z.record(billed, z.union([z.literal("ignore"), meter])).default({}),
});

const read = createReadFile(
  z.strictObject(Object.fromEntries(VENDORS.map((vendor) => [vendor, vendorNames.optional()]))),
  "map of names",
);

/** What the names on bills mean, by who writes them. */
export const readNameMap = (text: string, path: string): NameMap =>
  Object.fromEntries(
    Object.entries(read(text, path)).flatMap(([vendor, names]) =>
      names === undefined ? [] : [[vendor, namesOf(names)]],
    ),
  );

const namesOf = (names: z.output<typeof vendorNames>): VendorNames => ({
  provider: names.provider ?? null,
  credentials: mapOf(names.credentials, (one): Payee => ({
    provider: one.provider,
    credential: "credential" in one ? one.credential : null,
  })),
  models: mapOf(names.models, (one) => one),
  tiers: mapOf(names.tiers, (one) => one),
  regions: mapOf(names.regions, (one) => one),
  kinds: mapOf(names.kinds, (one) => one),
  names: mapOf(names.names, (one): MeterName | null =>
    one === "ignore"
      ? null
      : {
          model: one.model ?? null,
          kind: one.kind,
          tier: one.tier ?? null,
          region: one.region ?? null,
          unit: one.unit === undefined ? null : unitOf(one.unit),
        },
  ),
});

const mapOf = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): ReadonlyMap<string, To> => new Map(Object.entries(record).map(([key, value]) => [key, change(value)]));
