import type { ProviderDialect } from "../core/dialect.ts";
import { tariffOf, type TariffView } from "../core/tariff-view.ts";
import type { Catalogue, ListedModel, ListedProvider } from "./operator-control.ts";
import type { ProbeResult } from "./probe/probe-provider.ts";

/*
 * What the admin listener answers, and what it means. The gateway is of the same version and was asked with the operator's
 * token, so its answers are believed; `remote-catalogue.test.ts` holds them against the database.
 */

type Change = Awaited<ReturnType<Catalogue["apply"]>>[number];
type BookedPrice = NonNullable<Awaited<ReturnType<Catalogue["prices"]>>>[number];
type ImportedModel = Awaited<ReturnType<Catalogue["importModels"]>>[number];
type Facts = ImportedModel["after"];
type Route = ListedModel["routes"][number];

export type ProviderView = {
  name: string;
  base_url: string;
  credential: string;
  credential_key: string | null;
  credential_problem: string | null;
  routes: {
    id: string;
    model: string;
    published: boolean;
    upstream_model: string;
    dialect: ProviderDialect;
    conformant: boolean;
  }[];
};

export const providerOf = (view: ProviderView): ListedProvider => ({
  name: view.name,
  baseUrl: view.base_url,
  credentialRef: view.credential,
  sealedCredential: view.credential_key === null ? null : { keyId: view.credential_key },
  routes: view.routes.map(({ id, model: modelId, published, upstream_model: upstreamModel, dialect, conformant }) => ({
    id,
    modelId,
    published,
    upstreamModel,
    dialect,
    conformant,
  })),
});

type PriceView = TariffView & { version: number; effective_from: string };

export type ModelView = {
  id: string;
  created_at: string;
  owned_by: string;
  provider: string;
  display_name: string | null;
  tagline: string | null;
  published: boolean;
  obstacles: string[];
  context_window: number | null;
  max_output_tokens: number | null;
  output_ceiling: number | null;
  output_floor: number;
  token_factor: number;
  capabilities: Record<string, unknown>;
  price: PriceView | null;
  upcoming_prices: PriceView[];
  routes: RouteView[];
};

type RouteView = {
  id: string;
  provider: string;
  upstream_model: string;
  dialect: ProviderDialect;
  conformant: boolean;
  priority: number;
  weight: number;
  connect_timeout_ms: number;
  first_byte_timeout_ms: number;
  idle_timeout_ms: number;
  concurrency_limit: number | null;
};

export const modelOf = (view: ModelView): ListedModel => ({
  id: view.id,
  createdAtMs: Date.parse(view.created_at),
  ownedBy: view.owned_by,
  provider: view.provider,
  displayName: view.display_name,
  tagline: view.tagline,
  published: view.published,
  obstacles: view.obstacles,
  contextWindow: view.context_window,
  maxOutputTokens: view.max_output_tokens,
  outputCeiling: view.output_ceiling,
  outputFloor: view.output_floor,
  tokenFactor: view.token_factor,
  capabilities: view.capabilities,
  price: view.price === null ? null : priceOf(view.price),
  upcomingPrices: view.upcoming_prices.map(priceOf),
  routes: view.routes.map(routeOf),
});

const routeOf = (view: RouteView): Route => ({
  id: view.id,
  provider: view.provider,
  upstreamModel: view.upstream_model,
  dialect: view.dialect,
  conformant: view.conformant,
  priority: view.priority,
  weight: view.weight,
  connectTimeoutMs: view.connect_timeout_ms,
  firstByteTimeoutMs: view.first_byte_timeout_ms,
  idleTimeoutMs: view.idle_timeout_ms,
  concurrencyLimit: view.concurrency_limit,
});

const priceOf = (view: PriceView) => ({
  ...tariffOf(view),
  version: view.version,
  effectiveFromMs: Date.parse(view.effective_from),
});

export type BookedPriceView = PriceView & { withdrawn_at: string | null; suspended_for: string | null };

export const bookedPriceOf = (view: BookedPriceView): BookedPrice => ({
  ...priceOf(view),
  withdrawnAtMs: view.withdrawn_at === null ? null : Date.parse(view.withdrawn_at),
  suspendedFor: view.suspended_for,
});

export type ChangeView =
  | Exclude<Change, { kind: "price" }>
  | {
      kind: "price";
      name: string;
      change: "added" | "changed" | "withdrawn";
      version: number;
      effective_from: string;
      before: TariffView | null;
      after: TariffView | null;
    };

export const changeOf = (view: ChangeView): Change =>
  view.kind === "price"
    ? {
        kind: view.kind,
        name: view.name,
        change: view.change,
        version: view.version,
        effectiveFromMs: Date.parse(view.effective_from),
        before: view.before === null ? null : tariffOf(view.before),
        after: view.after === null ? null : tariffOf(view.after),
      }
    : view;

type FactsView = { context_window: number | null; max_output_tokens: number | null; price: TariffView | null };

export type ImportedModelView = {
  id: string;
  change: ImportedModel["change"];
  before: FactsView | null;
  after: FactsView;
};

export const importedModelOf = ({ id, change, before, after }: ImportedModelView): ImportedModel => ({
  id,
  change,
  before: before === null ? null : factsOf(before),
  after: factsOf(after),
});

const factsOf = (view: FactsView): Facts => ({
  contextWindow: view.context_window,
  maxOutputTokens: view.max_output_tokens,
  tariff: view.price === null ? null : tariffOf(view.price),
});

export type ProbeView = {
  status: number | null;
  problem: string | null;
  first_byte_ms: number | null;
  whole_ms: number;
  names_itself: string | null;
  usage: { input_tokens: number | null; output_tokens: number | null } | null;
  broken_rules: string[] | null;
};

export const probeResultOf = (view: ProbeView): ProbeResult => ({
  status: view.status,
  firstByteMs: view.first_byte_ms,
  wholeMs: view.whole_ms,
  problem: view.problem,
  examination:
    view.broken_rules === null
      ? null
      : {
          broken: view.broken_rules,
          model: view.names_itself ?? "",
          usage:
            view.usage === null
              ? null
              : { inputTokens: view.usage.input_tokens, outputTokens: view.usage.output_tokens },
        },
});
