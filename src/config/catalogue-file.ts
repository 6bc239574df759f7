import { type Document, parseDocument } from "yaml";
import { z } from "zod";
import { PROVIDER_DIALECTS } from "../core/dialect.ts";
import { parseCredits } from "../core/money.ts";
import { ConfigError } from "./config-error.ts";

const MAX_ALIASES = 100;
const MAX_PRICES = 100;

/** A price as people write it: credits, exactly. */
const credits = z.union([z.string(), z.number()]).transform((value, context) => {
  const nano = parseCredits(typeof value === "number" ? decimalOf(value) : value);
  if (nano !== null) return nano;
  context.addIssue({ code: "custom", message: "must be a decimal of credits, such as 2.50" });
  return z.NEVER;
});
/** A number without an exponent; one finer than a nano-credit keeps its exponent and is refused. */
const decimalOf = (value: number): string => (Number(value.toFixed(9)) === value ? value.toFixed(9) : String(value));

const name = z.string().min(1).max(200);
/** A count that fits the database's column. */
const tokens = z.int().min(1).max(2_147_483_647);
const milliseconds = (fallback: number) => z.int().min(1).max(3_600_000).default(fallback);

const route = z
  .strictObject({
    provider: name,
    upstream_model: name,
    dialect: z.enum(PROVIDER_DIALECTS),
    conformant: z.boolean().default(false),
    priority: z.int().min(0).default(0),
    weight: z.int().min(0).default(1),
    connect_timeout_ms: milliseconds(5_000),
    first_byte_timeout_ms: milliseconds(60_000),
    idle_timeout_ms: milliseconds(60_000),
    concurrency_limit: z.int().min(1).max(1_000_000).nullable().default(null),
  })
  .transform((row) => ({
    provider: row.provider,
    upstreamModel: row.upstream_model,
    dialect: row.dialect,
    conformant: row.conformant,
    priority: row.priority,
    weight: row.weight,
    connectTimeoutMs: row.connect_timeout_ms,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    concurrencyLimit: row.concurrency_limit,
  }));

/** A date alone is its midnight in UTC. */
const date = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: "must be a date, or a date and time with its offset, such as 2027-01-31T12:00:00Z",
  })
  .transform((text) => Date.parse(text));

const price = z
  .strictObject({
    effective_from: date.nullable().default(null),
    input: credits,
    output: credits,
    cache_read: credits.nullable().default(null),
    cache_write_5m: credits.nullable().default(null),
    cache_write_1h: credits.nullable().default(null),
    tools: z.record(name, credits).default({}),
  })
  .transform((row) => ({
    effectiveFromMs: row.effective_from,
    inputNano: row.input,
    outputNano: row.output,
    cacheReadNano: row.cache_read,
    cacheWrite5mNano: row.cache_write_5m,
    cacheWrite1hNano: row.cache_write_1h,
    toolCallNano: row.tools,
  }));

const upcomingPrice = price.refine(({ effectiveFromMs }) => effectiveFromMs !== null, {
  path: ["effective_from"],
  error: "is needed: a price to come has a date",
});

const model = z
  .strictObject({
    id: name,
    owned_by: name.optional(),
    provider: name,
    display_name: z.string().nullable().default(null),
    tagline: z.string().nullable().default(null),
    context_window: tokens.nullable().default(null),
    max_output_tokens: tokens.nullable().default(null),
    output_ceiling: tokens.nullable().default(null),
    output_floor: tokens.default(1_024),
    token_factor: z.number().positive().max(100).default(1),
    capabilities: z.record(z.string(), z.unknown()).default({}),
    price: price.nullable().default(null),
    upcoming_prices: z.array(upcomingPrice).max(MAX_PRICES).default([]),
    routes: z.array(route).min(1),
  })
  .refine((row) => haveDifferentDates([row.price, ...row.upcoming_prices]), {
    path: ["upcoming_prices"],
    error: "gives two prices for one date",
  })
  .refine((row) => row.max_output_tokens === null || row.output_ceiling === null, {
    path: ["output_ceiling"],
    error: "is for a model without max_output_tokens; a published limit is the limit",
  })
  .transform((row) => ({
    id: row.id,
    ownedBy: row.owned_by ?? row.provider,
    provider: row.provider,
    displayName: row.display_name,
    tagline: row.tagline,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    outputCeiling: row.output_ceiling,
    outputFloor: row.output_floor,
    tokenFactor: row.token_factor,
    capabilities: row.capabilities,
    price: row.price,
    upcomingPrices: row.upcoming_prices,
    routes: row.routes,
  }));

function haveDifferentDates(prices: readonly ({ effectiveFromMs: number | null } | null)[]): boolean {
  const dates = prices.flatMap((row) => (row === null || row.effectiveFromMs === null ? [] : [row.effectiveFromMs]));
  return new Set(dates).size === dates.length;
}

const provider = z
  .strictObject({
    name,
    base_url: z.url({ protocol: /^https?$/ }),
    credential: z
      .string()
      .regex(/^(env:[A-Z][A-Z0-9_]*|file:\/.+|stored|none)$/, "must be env:NAME, file:/absolute/path, stored or none"),
  })
  .transform((row) => ({ name: row.name, baseUrl: row.base_url.replace(/\/$/, ""), credentialRef: row.credential }));

const catalogueFile = z.strictObject({ providers: z.array(provider).default([]), models: z.array(model).default([]) });

export type CatalogueFile = z.output<typeof catalogueFile>;

/** Reads providers, models, prices and routes as an operator describes them in YAML or JSON. Lists everything wrong. */
export function readCatalogueFile(text: string, path: string): CatalogueFile {
  const document = parseDocument(text, { uniqueKeys: true });
  const [broken] = document.errors;
  if (broken)
    throw new ConfigError([{ path: null, source: path, message: broken.message.split("\n", 1)[0] ?? "is not YAML" }]);
  const parsed = catalogueFile.safeParse(valueOf(document, path));
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => ({ path: issue.path.join("."), source: path, message: issue.message })),
  );
}

/** Aliases within aliases could describe more than there is memory for. */
function valueOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw new ConfigError([{ path: null, source: path, message: `uses more than ${MAX_ALIASES} aliases` }]);
  }
}
