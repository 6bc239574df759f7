import type { ProviderDialect } from "../core/dialect.ts";
import type { Tariff } from "../core/price.ts";

/** What a model costs from a date on. */
export type Price = Tariff & { version: number; effectiveFromMs: number };

/** One way to reach a model. */
export type Route = {
  id: string;
  provider: string;
  /** Base URL up to and without the operation's path, such as `https://api.example.com/v1`. */
  baseUrl: string;
  /** Where the provider's credential is found: `env:NAME`, `file:PATH` or `none`. Never the credential itself. */
  credentialRef: string;
  upstreamModel: string;
  dialect: ProviderDialect;
  /** The provider keeps the stream rules itself, so its bytes are not touched. */
  conformant: boolean;
  priority: number;
  weight: number;
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
};

/** A model as published to callers. */
export type Model = {
  id: string;
  createdAtMs: number;
  ownedBy: string;
  provider: string;
  displayName: string | null;
  tagline: string | null;
  contextWindow: number | null;
  maxOutputTokens: number | null;
  /** The operator's own limit of output, where none is published. A model with neither is not routable. */
  outputCeiling: number | null;
  /** What an answer without a limit of its own must at least be able to grow to, in tokens. */
  outputFloor: number;
  /** How many tokens this model's tokenizer makes of a text for each one that is estimated. */
  tokenFactor: number;
  capabilities: Record<string, unknown>;
  /** Null: not priced, and so not to be had on credit. */
  price: Price | null;
  routes: readonly Route[];
};

/** Where the catalogue is kept. */
export type CatalogueStore = {
  /** Every published model with its routes and the price in force at that time. */
  load: (atMs: number) => Promise<Model[]>;
  /** Makes providers, models, prices and routes as described; what is not described stays. */
  apply: (description: CatalogueDescription) => Promise<CatalogueChange[]>;
};

export type CatalogueDescription = {
  providers: readonly { name: string; baseUrl: string; credentialRef: string }[];
  models: readonly (Omit<Model, "createdAtMs" | "price" | "routes"> & {
    price: Tariff | null;
    routes: readonly Omit<Route, "id" | "baseUrl" | "credentialRef">[];
  })[];
};

export type CatalogueChange = {
  kind: "provider" | "model" | "price" | "route";
  name: string;
  change: "added" | "changed";
};
