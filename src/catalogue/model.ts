import type { CatalogueChange, PartChange, PriceChange } from "../core/catalogue/catalogue-change.ts";
import type { RouteFormat } from "../core/request/dialect.ts";
import type { ImportedModel } from "../core/catalogue/imported-model.ts";
import type { ProviderTerms } from "../core/catalogue/provider-terms.ts";
import type { ModelTerms } from "../core/catalogue/model-terms.ts";
import type { AcceptableAlarm, AcceptedAlarm } from "../core/money/money-alarm.ts";
import type { Tariff, TariffParts } from "../core/money/price.ts";
import type { EmbeddingRoute, GenerationRoute, Route } from "../core/catalogue/route.ts";
import type { RouteTerms } from "../core/catalogue/route-terms.ts";
import type { SealedCredential } from "../core/secret/sealed-credential.ts";

/** What a model costs from a date on. */
export type Price = Tariff & { version: number; effectiveFromMs: number };

/** A model as callers meet it at one moment. */
export type Model<On extends Route = Route> = ModelTerms & {
  createdAtMs: number;
  /** The price in force. Null: not priced, and so not to be had on credit. */
  price: Price | null;
  /** In the order of their dates. */
  upcomingPrices: readonly Price[];
  /** Those that have ended are among them. */
  acceptedAlarms: readonly AcceptedAlarm[];
  routes: readonly On[];
};

/** One that generates text. */
export type GenerationModel = Model<GenerationRoute>;

/** One that makes embeddings. Whatever it answers, nothing of it is output. */
export type EmbeddingModel = Model<EmbeddingRoute>;

/** A version of the price book. */
export type BookedPrice = Price & {
  /** When it was taken back, before its date. */
  withdrawnAtMs: number | null;
  /** What was used and had no price in it, in the words of the catalogue file, where an earlier version took it off sale for that. */
  suspendedFor: string | null;
};

/** Where the catalogue is kept. */
export type CatalogueStore = CatalogueDesk & {
  /** Every published model with its routes, the price in force at that time and the prices to come. */
  load: (atMs: number) => Promise<Model[]>;
  /** Makes providers, models, prices and routes as described; what is not described stays. */
  apply: (description: CatalogueDescription) => Promise<CatalogueChange[]>;
  /** Every version of a model's price, oldest version first; null when there is no such model. */
  prices: (modelId: string) => Promise<BookedPrice[] | null>;
};

export type CatalogueDescription = {
  providers: readonly Provider[];
  models: readonly DescribedModel[];
};

export type DescribedModel = ModelTerms & {
  price: DescribedPrice | null;
  /** With `price`, all that is to come: what is not among them is withdrawn. Where both are empty, prices stay. */
  upcomingPrices: readonly DescribedPrice[];
  routes: readonly DescribedRoute[];
};

/** A route without a limit of calls at once need not say so. `cost`: what it costs the operator, in dollars; null: not known any more; absent: as it was. */
export type DescribedRoute = Omit<RouteTerms, "concurrencyLimit"> &
  Partial<Pick<RouteTerms, "concurrencyLimit">> & { cost?: DescribedPrice | null | undefined };

/** Null: at once. Of several whose dates have passed, the latest is the price. */
export type DescribedPrice = Tariff & { effectiveFromMs: number | null };

/**
 * What an operator does to the catalogue piece by piece. What the present state of things rules out is a `Conflict`, and what
 * is to be changed and is not there a `Fault` of that code; their messages say so.
 */
export type CatalogueDesk = {
  /** All in the order of their names, or a page of them. */
  listProviders: (page?: CataloguePage) => Promise<ProviderOverview[]>;
  findProvider: (name: string) => Promise<ProviderOverview | null>;
  /** Models, published or not, at the price of that time: all in the order of their ids, or a page of them. */
  listModels: (atMs: number, page?: CataloguePage) => Promise<ModelOverview[]>;
  findModel: (id: string, atMs: number) => Promise<ModelOverview | null>;
  /**
   * `replace`: also when there is one of that name with another address or credential. A `stored` credential that does not
   * come with it stays as it is.
   */
  addProvider: (provider: Provider, present: "keep" | "replace") => Promise<PartChange[]>;
  /** Gives every stored credential to `reseal` and keeps what it returns, all in one transaction; null: as it was. */
  resealCredentials: (reseal: Reseal) => Promise<void>;
  /** Refused while published models have routes there, unless these are to be withdrawn with it. */
  removeProvider: (name: string, routes: "keep" | "withdraw") => Promise<RemovedProvider>;
  /** A new model with its first route, or another route to one that is there already. */
  addModel: (order: ModelOrder) => Promise<CatalogueChange[]>;
  publish: (modelIds: readonly string[], state: Publication) => Promise<{ id: string; changed: boolean }[]>;
  /** Changes the named parts of a price, now or from a date to come on; other parts and other dates stay. */
  changePrice: (modelId: string, change: PriceChangeOrder) => Promise<PriceChange[]>;
  /** `route`: an id, or as much of it or of `provider/upstream model` as names one. */
  removeRoute: (modelId: string, route: string, last: "keep" | "remove") => Promise<RemovedRoute>;
  /** In place of what was accepted of this kind before. */
  acceptAlarm: (modelId: string, accepted: AcceptedAlarm) => Promise<void>;
  /** Answers what had been accepted. */
  withdrawAlarm: (modelId: string, kind: AcceptableAlarm) => Promise<AcceptedAlarm>;
  /** Compares listed models with those that are there; `apply` then makes these as listed. */
  importModels: (order: ImportOrder, mode: "preview" | "apply") => Promise<ImportedModel[]>;
};

export type Provider = ProviderTerms & {
  name: string;
  baseUrl: string;
  credentialRef: string;
  /** A credential to store; without one, what is stored stays. */
  sealedCredential?: SealedCredential | null;
};
export type Reseal = (stored: {
  provider: string;
  baseUrl: string;
  sealedCredential: SealedCredential;
}) => SealedCredential | null;
export type Publication = "published" | "unpublished";

export type ProviderOverview = Provider & {
  routes: readonly (Pick<Route, "id" | "upstreamModel" | "dialect" | "conformant"> & {
    modelId: string;
    published: boolean;
  })[];
};

export type ModelOverview = Model & {
  published: boolean;
  /** Why callers cannot use it, in words; empty when all can. */
  obstacles: readonly string[];
};

/** What comes after one of that name, in the order of the database. */
export type CataloguePage = { after: string | null; limit: number };

/** `fromMs`: a date to come; null: at once. */
export type PriceChangeOrder = { parts: TariffParts; fromMs: number | null };

/** `stranded` are published models that have no route left. */
export type RemovedProvider = { name: string; withdrawn: readonly string[]; stranded: readonly string[] };
export type RemovedRoute = { id: string; name: string; routesLeft: number };

export type ModelOrder = {
  id: string;
  displayName: string | null;
  /** Null: not said. Of a model that is there already they need not be. */
  contextWindow: number | null;
  maxOutputTokens: number | null;
  /** Whether it can be asked to think. Not said, it stays as it is: unknown of a new one, which is then asked. */
  reasoning?: boolean;
  tariff: Tariff | null;
  route: RouteOrder;
  publication: Publication;
};

/** What is not said of a route stays as it is, or is as usual where there was none. */
export type RouteOrder = Pick<Route, "provider" | "upstreamModel" | "dialect"> &
  Partial<Pick<Route, "conformant" | "priority" | "weight" | "region">>;

export type ImportOrder = {
  provider: string;
  publication: Publication;
  models: readonly {
    id: string;
    upstreamModel: string;
    dialect: RouteFormat;
    contextWindow: number | null;
    /** Null: of one that makes embeddings. */
    maxOutputTokens: number | null;
    /** Whether it reasons; null: not said. */
    reasoning: boolean | null;
    tariff: Tariff;
  }[];
};
