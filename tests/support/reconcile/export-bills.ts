import type { Costs } from "../../../src/core/bills/name-map.ts";
import { type Decimal, formatDecimal, sum, ZERO } from "../../../src/core/money/decimal.ts";
import type { JournalRow } from "../../../src/reconcile/journal/journal-row.ts";
import { costOf, priceRow } from "../../../src/core/bills/price-counts.ts";

/** One of each format: a day of charges as its provider would export them. */
export type Exporter = { format: string; write: (rows: readonly JournalRow[], costs: Costs) => string };

const FROM = 1_794_787_200;
const [START, END] = ["2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"];
const PARTS = ["input", "cache_read", "cache_write_5m", "output"] as const;

type Group = { key: readonly string[]; counts: Record<string, number>; usd: Record<string, Decimal>; rows: number };

function grouped(rows: readonly JournalRow[], costs: Costs, keyOf: (row: JournalRow) => readonly string[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key.join("\n")) ?? { key, counts: {}, usd: {}, rows: 0 };
    groups.set(key.join("\n"), group);
    group.rows++;
    const tariff = costOf(costs, row.provider, row.upstreamModel);
    const priced = tariff === null ? {} : (priceRow(row, tariff) ?? {});
    for (const part of PARTS) {
      group.counts[part] = (group.counts[part] ?? 0) + (row.counts[part] ?? 0);
      group.usd[part] = sum(group.usd[part] ?? ZERO, priced[part] ?? ZERO);
    }
  }
  return [...groups.values()];
}

const byAll = ({ credential, upstreamModel, tier }: JournalRow): string[] => [
  credential ?? "",
  upstreamModel ?? "",
  tier,
];
const byModel = ({ upstreamModel }: JournalRow): string[] => [upstreamModel ?? ""];
const count = ({ counts }: Group, part: string): number => counts[part] ?? 0;
const prompt = (group: Group): number =>
  count(group, "input") + count(group, "cache_read") + count(group, "cache_write_5m");
const usdOf = (group: Group): Decimal => Object.values(group.usd).reduce(sum, ZERO);
const csvOf = (lines: readonly (readonly (string | number)[])[]): string =>
  lines
    .map(
      (cells) =>
        `${cells.map((cell) => (/[",]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")}\r\n`,
    )
    .join("");

const openaiPage = (results: readonly object[]): string =>
  JSON.stringify({
    object: "page",
    data: [{ object: "bucket", start_time: FROM, end_time: FROM + 86_400, results }],
    has_more: false,
  });
const anthropicPage = (results: readonly object[]): string =>
  JSON.stringify({ data: [{ starting_at: START, ending_at: END, results }], has_more: false });

/** A thousand times less, as text. */
const thousands = (tokens: number): string => formatDecimal({ digits: BigInt(tokens), exponent: -3 });
const millions = (tokens: number): string => formatDecimal({ digits: BigInt(tokens), exponent: -6 });
const COST_ITEMS = {
  input: "input_tokens",
  cache_read: "input_cached_tokens",
  cache_write_5m: "input_cache_write_tokens",
  output: "output_tokens",
};
const COST_TYPES = {
  input: "uncached_input_tokens",
  cache_read: "cache_read_input_tokens",
  cache_write_5m: "cache_creation.ephemeral_5m_input_tokens",
  output: "output_tokens",
};

export const EXPORTERS: readonly Exporter[] = [
  {
    format: "openai-usage",
    write: (rows, costs) =>
      openaiPage(
        grouped(rows, costs, byAll).map((group) => ({
          object: "organization.usage.completions.result",
          input_tokens: prompt(group),
          input_cached_tokens: count(group, "cache_read"),
          input_cache_write_tokens: count(group, "cache_write_5m"),
          output_tokens: count(group, "output"),
          num_model_requests: group.rows,
          api_key_id: group.key[0],
          model: group.key[1],
          batch: false,
          service_tier: group.key[2],
        })),
      ),
  },
  {
    format: "openai-dashboard",
    write: (rows, costs) =>
      csvOf([
        [
          "start_time",
          "end_time",
          "model",
          "api_key_id",
          "service_tier",
          "batch",
          "num_model_requests",
          "input_tokens",
          "input_cached_tokens",
          "input_cache_write_tokens",
          "output_tokens",
        ],
        ...grouped(rows, costs, byAll).map((group) => [
          FROM,
          FROM + 86_400,
          group.key[1] ?? "",
          group.key[0] ?? "",
          group.key[2] ?? "",
          "False",
          group.rows,
          prompt(group),
          count(group, "cache_read"),
          count(group, "cache_write_5m"),
          count(group, "output"),
        ]),
      ]),
  },
  {
    format: "openai-costs",
    write: (rows, costs) =>
      openaiPage(
        grouped(rows, costs, ({ credential, upstreamModel }) => [credential ?? "", upstreamModel ?? ""]).flatMap(
          (group) =>
            PARTS.map((part) => ({
              object: "organization.costs.result",
              amount: { value: Number(formatDecimal(group.usd[part] ?? ZERO)), currency: "usd" },
              line_item: `${group.key[1]}, ${COST_ITEMS[part]}`,
              api_key_id: group.key[0],
              quantity: count(group, part),
            })),
        ),
      ),
  },
  {
    format: "anthropic-usage",
    write: (rows, costs) =>
      anthropicPage(
        grouped(rows, costs, byAll).map((group) => ({
          uncached_input_tokens: count(group, "input"),
          cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: count(group, "cache_write_5m") },
          cache_read_input_tokens: count(group, "cache_read"),
          output_tokens: count(group, "output"),
          api_key_id: group.key[0],
          model: group.key[1],
          service_tier: group.key[2],
        })),
      ),
  },
  {
    format: "anthropic-console",
    write: (rows, costs) =>
      csvOf([
        [
          "usage_date_utc",
          "model_version",
          "api_key",
          "usage_type",
          "usage_input_tokens_no_cache",
          "usage_input_tokens_cache_write_5m",
          "usage_input_tokens_cache_write_1h",
          "usage_input_tokens_cache_read",
          "usage_output_tokens",
          "web_search_count",
        ],
        ...grouped(rows, costs, byAll).map((group) => [
          "2026-11-16",
          group.key[1] ?? "",
          group.key[0] ?? "",
          group.key[2] ?? "",
          count(group, "input"),
          count(group, "cache_write_5m"),
          0,
          count(group, "cache_read"),
          count(group, "output"),
          0,
        ]),
      ]),
  },
  {
    format: "anthropic-cost",
    write: (rows, costs) =>
      anthropicPage(
        grouped(rows, costs, byModel).flatMap((group) =>
          PARTS.map((part) => {
            const usd = group.usd[part] ?? ZERO;
            return {
              amount: formatDecimal({ ...usd, exponent: usd.exponent + 2 }),
              currency: "USD",
              cost_type: "tokens",
              model: group.key[0],
              token_type: COST_TYPES[part],
            };
          }),
        ),
      ),
  },
  {
    format: "aws-cur",
    write: (rows, costs) =>
      csvOf([
        [
          "line_item_usage_start_date",
          "line_item_usage_end_date",
          "line_item_line_item_type",
          "line_item_product_code",
          "line_item_usage_type",
          "line_item_iam_principal",
          "line_item_usage_amount",
          "pricing_unit",
          "line_item_unblended_cost",
          "line_item_currency_code",
        ],
        ...grouped(rows, costs, byAll).flatMap((group) =>
          PARTS.filter((part) => count(group, part) > 0).map((part) => [
            "2026-11-16T13:00:00Z",
            "2026-11-16T14:00:00Z",
            "Usage",
            "AmazonBedrock",
            `${group.key[1]}-${part}-${group.key[2]}`,
            group.key[0] ?? "",
            thousands(count(group, part)),
            "1K tokens",
            formatDecimal(group.usd[part] ?? ZERO),
            "USD",
          ]),
        ),
      ]),
  },
  {
    format: "aws-cost-explorer",
    write: (rows, costs) =>
      JSON.stringify({
        ResultsByTime: [
          {
            TimePeriod: { Start: "2026-11-16", End: "2026-11-17" },
            Groups: grouped(rows, costs, ({ upstreamModel, tier }) => [upstreamModel ?? "", tier]).flatMap((group) =>
              PARTS.filter((part) => count(group, part) > 0).map((part) => ({
                Keys: [`${group.key[0]}-${part}-${group.key[1]}`, "InvokeModel"],
                Metrics: {
                  UnblendedCost: { Amount: formatDecimal(group.usd[part] ?? ZERO), Unit: "USD" },
                  UsageQuantity: { Amount: thousands(count(group, part)), Unit: "N/A" },
                },
              })),
            ),
          },
        ],
      }),
  },
  {
    format: "gcp-billing",
    write: (rows, costs) =>
      grouped(rows, costs, byAll)
        .flatMap((group) =>
          PARTS.filter((part) => count(group, part) > 0).map((part) =>
            JSON.stringify({
              service: { description: "Vertex AI" },
              sku: { description: `${group.key[1]}-${part}-${group.key[2]}` },
              usage_start_time: "2026-11-16T14:00:00Z",
              usage_end_time: "2026-11-16T15:00:00Z",
              project: { id: group.key[0] },
              cost: Number(formatDecimal(group.usd[part] ?? ZERO)),
              currency: "USD",
              usage: { amount: count(group, part), unit: "count" },
              cost_type: "regular",
            }),
          ),
        )
        .join("\n"),
  },
  {
    format: "azure-costs",
    write: (rows, costs) =>
      csvOf([
        [
          "date",
          "consumedService",
          "meterCategory",
          "meterName",
          "ResourceId",
          "unitOfMeasure",
          "quantity",
          "costInUsd",
          "chargeType",
        ],
        ...grouped(rows, costs, byAll).flatMap((group) =>
          PARTS.filter((part) => count(group, part) > 0).map((part) => [
            "11/16/2026",
            "Microsoft.CognitiveServices",
            "Foundry Models",
            `${group.key[1]}-${part}-${group.key[2]}`,
            group.key[0] ?? "",
            "1M",
            millions(count(group, part)),
            formatDecimal(group.usd[part] ?? ZERO),
            "Usage",
          ]),
        ),
      ]),
  },
  {
    format: "openrouter-generations",
    write: (rows, costs) =>
      csvOf([
        [
          "generation_id",
          "created_at",
          "cost_total",
          "tokens_prompt",
          "tokens_completion",
          "tokens_cached",
          "model_permaslug",
          "cancelled",
          "api_key_name",
        ],
        ...rows.map((row, at) => {
          const [group] = grouped([row], costs, byAll) as [Group];
          // Of this provider nothing is written to a cache.
          return [
            `gen-${at}`,
            new Date(row.atMs).toISOString().slice(0, 19).replace("T", " "),
            formatDecimal(usdOf(group)),
            count(group, "input") + count(group, "cache_read"),
            count(group, "output"),
            count(group, "cache_read"),
            row.upstreamModel ?? "",
            "false",
            row.credential ?? "",
          ];
        }),
      ]),
  },
  {
    format: "openrouter-activity",
    write: (rows, costs) =>
      JSON.stringify({
        data: grouped(rows, costs, byModel).map((group) => ({
          date: "2026-11-16",
          model_permaslug: group.key[0],
          usage: Number(formatDecimal(usdOf(group))),
          requests: group.rows,
          prompt_tokens: prompt(group),
          completion_tokens: count(group, "output"),
        })),
      }),
  },
];

/** A map in which every name of the exporters means what the journal has. */
export function mapFor(vendor: string, rows: readonly JournalRow[]): string {
  const [credentials, models, tiers] = [
    rows.map((row) => row.credential ?? ""),
    rows.map((row) => row.upstreamModel ?? ""),
    rows.map(({ tier }) => tier),
  ];
  const same = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, name]));
  const meters = models.flatMap((model) =>
    tiers.flatMap((tier) => PARTS.map((kind) => [`${model}-${kind}-${tier}`, { model, kind, tier, unit: "1K" }])),
  );
  return JSON.stringify({
    [vendor]: {
      provider: "p",
      credentials: Object.fromEntries(credentials.map((credential) => [credential, { provider: "p", credential }])),
      models: same(models),
      tiers: same(tiers),
      names: Object.fromEntries(meters),
    },
  });
}
