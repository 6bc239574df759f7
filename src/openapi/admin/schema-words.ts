/** Descriptions of named schemas. */
export const SCHEMA_WORDS: Record<string, string> = {
  Account: "Balance of a key, in its unit.",
  BookedPrice: "A version of a price. Amounts are credits as exact decimals.",
  CatalogueChange: "A change of the catalogue.",
  Funded: "Result of a top-up or of setting a budget.",
  Journal: "A page of top-ups, budgets and charges, newest first.",
  JournalEntry: "A top-up, a budget or a charge.",
  Key: "A key, without its secret.",
  KeySecret: "A secret of a key, without the secret itself.",
  Model: "A model with its price and routes.",
  NamedKey: "The key that the response is about.",
  Price: "A price and the date it takes effect. Amounts are credits as exact decimals.",
  Provider: "A provider with its routes.",
  ProviderTest: "Result of one small streamed call to a provider.",
  QuarantinedRequest: "A request that the gateway could not end. Its amount stays reserved until you release it.",
  ReleasedRequest: "Result of releasing a request from quarantine.",
  RouteHealth: "Health of a route to a provider, from the calls of this process.",
  Tariff: "Credits per million tokens and per tool call, as exact decimals.",
  TariffRequest: "Credits per million tokens and per tool call, as exact decimals.",
  PriceRequest: "A price and the date it takes effect. Amounts are credits as exact decimals.",
  UsageReport: "Usage of a key by day and by model.",
  Verification: "Number of rows read, and every figure that differs from the journal.",
};

/** Example requests by operation, where required fields alone would show too little. */
export const REQUEST_EXAMPLES: Record<string, unknown> = {
  createKey: { mode: "credit", label: "my laptop", credit: "10.00", rpm_limit: 60 },
  updateKey: { label: "my new laptop", rpm_limit: null },
  rotateKey: { overlap_ms: 3_600_000 },
  topUpKey: { amount: "10.00", reference: "invoice-2026-1042" },
  setBudget: { budget: 5_000_000, period: "month", reference: "plan-2026-12" },
  verifyLedger: {},
  releaseQuarantined: { end: "charge" },
  addProvider: { name: "acme", base_url: "https://api.example.com/v1", credential: "env:ACME_KEY" },
  testProvider: { upstream_model: "large-2026-10", format: "chat" },
  addModel: {
    id: "acme-large",
    context_window: 128_000,
    max_output_tokens: 16_384,
    price: { input: "0.40", output: "1.60" },
    route: { provider: "acme", upstream_model: "large-2026-10", format: "chat" },
  },
  publishModels: { models: ["acme-large"] },
  unpublishModels: { models: ["acme-large"] },
  changePrice: { output: "1.40", effective_from: "2027-01-01T00:00:00Z" },
  applyCatalogue: {
    providers: [{ name: "acme", base_url: "https://api.example.com/v1", credential: "env:ACME_KEY" }],
    models: [
      {
        id: "acme-large",
        provider: "acme",
        context_window: 128_000,
        max_output_tokens: 16_384,
        price: { input: "0.40", output: "1.60" },
        routes: [{ provider: "acme", upstream_model: "large-2026-10", format: "chat" }],
      },
    ],
  },
  importModels: {
    provider: "acme",
    models: [
      {
        id: "acme-large",
        upstream_model: "large-2026-10",
        format: "chat",
        context_window: 128_000,
        max_output_tokens: 16_384,
        price: { input: "0.40", output: "1.60" },
      },
    ],
    apply: true,
  },
};
