import { isKind } from "../core/bills/kinds.ts";
import type { MeterName, NameMap, Payee, BillVendor, VendorNames } from "../core/bills/name-map.ts";
import { type Decimal, product, wholeNumber } from "../core/money/decimal.ts";
import type { BillLine } from "./bill-line.ts";

/** A line in the names of the journal. */
export type NamedLine = {
  provider: string;
  credential: string | null;
  /** Null: of no model. */
  model: string | null;
  tier: string | null;
  region: string | null;
  /** Null: of everything. */
  kind: string | null;
  quantity: Decimal | null;
  usd: Decimal | null;
  cut: boolean;
};

/** A name that the map does not have, and where in it it belongs. */
export type NameQuestion = {
  vendor: BillVendor;
  field: "provider" | Exclude<keyof VendorNames, "provider">;
  name: string;
};

export type Naming = { named: NamedLine } | { question: NameQuestion } | { ignored: true };

const ONE = wholeNumber(1n);

/** By the map alone. Never by resemblance: a wrong match is worse than a question. */
export function nameLine(line: BillLine, vendor: BillVendor, map: NameMap): Naming {
  const names = map[vendor];
  const ask = (field: NameQuestion["field"], name: string): Naming => ({ question: { vendor, field, name } });
  const meter = line.meter === null ? undefined : names?.names.get(line.meter);
  if (meter === null) return { ignored: true };
  const payee = payeeOf(line, names);
  if (payee === null) return line.credential === null ? ask("provider", vendor) : ask("credentials", line.credential);
  const named = meter === undefined ? byFields(line, names) : byMeter(meter, line, names);
  if ("field" in named) return ask(named.field, named.name);
  const { unit, ...what } = named;
  const quantity = line.quantity === null ? null : product(line.quantity, unit ?? ONE);
  return { named: { ...payee, ...what, quantity, usd: line.usd, cut: line.cut } };
}

function payeeOf({ credential }: BillLine, names: VendorNames | undefined): Payee | null {
  if (credential !== null) return names?.credentials.get(credential) ?? null;
  const provider = names?.provider ?? null;
  return provider === null ? null : { provider, credential: null };
}

type What = Pick<NamedLine, "model" | "tier" | "region" | "kind"> & { unit: Decimal | null };
type Asked = Pick<NameQuestion, "field" | "name">;

function byMeter(meter: MeterName, line: BillLine, names: VendorNames | undefined): What | Asked {
  const said = saidPlace(line, names);
  if ("field" in said) return said;
  const { model, kind, tier, region, unit } = meter;
  return { model, kind, tier: tier ?? said.tier, region: region ?? said.region, unit: line.unit ?? unit };
}

function byFields(line: BillLine, names: VendorNames | undefined): What | Asked {
  if (line.meter !== null && (line.model === null ? line.kind === null || !isKind(line.kind) : false))
    return { field: "names", name: line.meter };
  const said = saidPlace(line, names);
  if ("field" in said) return said;
  const kind = line.kind === null || isKind(line.kind) ? line.kind : names?.kinds.get(line.kind);
  if (kind === undefined) return { field: "kinds", name: line.kind ?? "" };
  const model = line.model === null ? null : names?.models.get(line.model);
  if (model === undefined) return { field: "models", name: line.model ?? "" };
  return { ...said, model, kind, unit: line.unit };
}

/** The tier and region that a line says by itself. */
function saidPlace(line: BillLine, names: VendorNames | undefined): Pick<What, "tier" | "region"> | Asked {
  const tier = line.tier === null ? null : names?.tiers.get(line.tier);
  if (tier === undefined) return { field: "tiers", name: line.tier ?? "" };
  const region = line.region === null ? null : names?.regions.get(line.region);
  if (region === undefined) return { field: "regions", name: line.region ?? "" };
  return { tier, region };
}
