import type { Decimal } from "../money/decimal.ts";
import type { Tariff } from "../money/price.ts";

/** Who writes bills, as a map of names calls them. */
export const VENDORS = ["openai", "anthropic", "aws", "gcp", "azure", "openrouter"] as const;
export type BillVendor = (typeof VENDORS)[number];

/** What a line of a bill is, where its whole name says it. */
export type MeterName = {
  /** Null: of no model. */
  model: string | null;
  kind: string;
  tier: string | null;
  region: string | null;
  /** How many of what the journal counts one of the bill is, where the bill does not say. */
  unit: Decimal | null;
};

/** Whose a billing credential is: a provider of the catalogue, and the credential as the journal calls it; null: it does not say. */
export type Payee = { provider: string; credential: string | null };

/** What the names on the bills of one vendor mean. Nothing else is known of them: a name that is not here is a question. */
export type VendorNames = {
  /** Of lines that name no credential. */
  provider: string | null;
  credentials: ReadonlyMap<string, Payee>;
  models: ReadonlyMap<string, string>;
  tiers: ReadonlyMap<string, string>;
  regions: ReadonlyMap<string, string>;
  kinds: ReadonlyMap<string, string>;
  /** Null: it is of no interest. */
  names: ReadonlyMap<string, MeterName | null>;
};

export type NameMap = Readonly<Partial<Record<BillVendor, VendorNames>>>;

/** What a route costs the operator, by provider and upstream model. */
export type Costs = ReadonlyMap<string, ReadonlyMap<string, Tariff>>;
