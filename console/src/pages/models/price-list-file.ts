/** A number as it was written, so that no price is rounded on its way to the gateway. */
type Exact = { rawJSON: string };
type ExactJson = JSON & { rawJSON?: (text: string) => Exact };
type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown;

export type PriceFile = {
  /** As it is in the file: models by name, or in the form of models.dev, vendors. */
  entries: Readonly<Record<string, unknown>>;
  models: number;
  text: string;
  /** How many models the file has of each vendor, most first. */
  vendors: readonly { name: string; models: number }[];
};

const vendorOf = (entry: unknown): string | null => {
  const vendor = (entry as { litellm_provider?: unknown } | null)?.litellm_provider;
  return typeof vendor === "string" ? vendor : null;
};

/** In the form of models.dev, a vendor has its models. */
const modelsOf = (entry: unknown): object | null => {
  const models = (entry as { models?: unknown } | null)?.models;
  return typeof models === "object" ? models : null;
};

/** Null where the text is no JSON object. */
export function readPriceFile(text: string): PriceFile | null {
  const { rawJSON } = JSON as ExactJson;
  const keep: Reviver = (_name, value, context) =>
    typeof value === "number" && rawJSON && context?.source !== undefined ? rawJSON(context.source) : value;
  let entries: unknown;
  try {
    entries = JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
  } catch {
    return null;
  }
  if (typeof entries !== "object" || entries === null || Array.isArray(entries)) return null;
  const counts = new Map<string, number>();
  for (const [name, entry] of Object.entries(entries)) {
    const models = modelsOf(entry);
    const vendor = models === null ? vendorOf(entry) : name;
    if (vendor !== null) counts.set(vendor, (counts.get(vendor) ?? 0) + (models ? Object.keys(models).length : 1));
  }
  const vendors = [...counts]
    .map(([name, models]) => ({ name, models }))
    .toSorted((one, other) => other.models - one.models);
  const others = Object.values(entries).filter((entry) => modelsOf(entry) === null).length;
  const listed = vendors.filter(({ name }) => modelsOf((entries as Record<string, unknown>)[name]) !== null);
  const models = listed.reduce((sum, { models: count }) => sum + count, others);
  return { entries: entries as Record<string, unknown>, models, text, vendors };
}

/** The models of one vendor alone, which is much less to send. Where the browser cannot keep numbers as they are, the file as it is. */
export function textOfVendor({ entries, text }: PriceFile, vendor: string): string {
  if (!(JSON as ExactJson).rawJSON) return text;
  const wanted = ([name, entry]: [string, unknown]): boolean =>
    modelsOf(entry) === null ? vendorOf(entry) === vendor : name === vendor;
  return JSON.stringify(Object.fromEntries(Object.entries(entries).filter(wanted)));
}
