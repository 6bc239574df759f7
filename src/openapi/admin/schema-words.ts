/** What a schema with a name of its own describes. */
export const SCHEMA_WORDS: Record<string, string> = {
  Account: "The money of a key, in its unit.",
  BookedPrice: "A price with what became of it. Amounts are credits as exact decimals.",
  CatalogueChange: "Something of the catalogue that was changed.",
  Funded: "What became of a top-up or a budget.",
  Journal: "A page of what was paid in and charged, newest first.",
  JournalEntry: "Something that was paid in or charged.",
  Key: "A key, without its secret.",
  KeySecret: "A secret of a key, without the secret itself.",
  Model: "A model with its price and routes.",
  NamedKey: "The key that an answer is about.",
  Price: "A price from its date on. Amounts are credits as exact decimals.",
  Provider: "A provider with its routes.",
  ProviderTest: "How a provider answered one small streamed call.",
  QuarantinedRequest: "A request that could not be ended; its money stays reserved until it is released.",
  ReleasedRequest: "What became of a request in quarantine.",
  RouteHealth: "How a route to a provider does, by the calls of this process.",
  Tariff: "Credits per million tokens, and per call of a tool, as exact decimals.",
  TariffRequest: "Credits per million tokens, and per call of a tool, as exact decimals.",
  PriceRequest: "A price from its date on. Amounts are credits as exact decimals.",
  UsageReport: "What a key used, by day and by model.",
  Verification: "What was read, and every figure that differs from the journal.",
};

/** Requests that show more than what must be sent, by operation. */
export const REQUEST_EXAMPLES: Record<string, unknown> = {
  createKey: { mode: "credit", label: "my laptop", credit: "10.00", rpm_limit: 60 },
  updateKey: { label: "my new laptop", rpm_limit: null },
  rotateKey: { overlap_ms: 3_600_000 },
  topUpKey: { amount: "10.00", reference: "invoice-2026-1042" },
  setBudget: { budget: 5_000_000, period: "month", reference: "plan-2026-12" },
  verifyLedger: {},
  releaseQuarantined: { end: "charge" },
  addProvider: { name: "acme", base_url: "https://api.example.com/v1", credential: "env:ACME_KEY" },
  testProvider: { upstream_model: "large-2026-10", dialect: "chat" },
  addModel: {
    id: "acme-large",
    context_window: 128_000,
    max_output_tokens: 16_384,
    price: { input: "0.40", output: "1.60" },
    route: { provider: "acme", upstream_model: "large-2026-10", dialect: "chat" },
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
        routes: [{ provider: "acme", upstream_model: "large-2026-10", dialect: "chat" }],
      },
    ],
  },
  importModels: {
    provider: "acme",
    models: [
      {
        id: "acme-large",
        upstream_model: "large-2026-10",
        dialect: "chat",
        context_window: 128_000,
        max_output_tokens: 16_384,
        price: { input: "0.40", output: "1.60" },
      },
    ],
    apply: true,
  },
};
