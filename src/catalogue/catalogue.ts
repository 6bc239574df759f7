import { type Clock, systemClock } from "../core/clock.ts";
import { type KeyChain, unitsFor } from "../core/money/counter.ts";
import { allowedRegions, routesIn, type RegionLimits } from "../core/catalogue/region.ts";
import { Fault, type FaultCode } from "../core/fault.ts";
import type { AcceptedAlarm, MoneyAlarm } from "../core/money/money-alarm.ts";
import type { KeyMode } from "../core/people/key-mode.ts";
import { asGenerating, embeds } from "./embeds.ts";
import type { EmbeddingModel, GenerationModel, Model } from "./model.ts";
import { priceAt } from "./price/price-book.ts";

/** Who asks: a key's restrictions, or nobody in particular. */
export type Reader = RegionLimits & {
  mode: KeyMode;
  providerScope: string;
  models: readonly string[] | null;
  chain: KeyChain;
};

export type Catalogue = {
  /** What a reader may use; without a reader, the public catalogue. */
  list: (reader: Reader | null) => readonly Model[];
  /** The model a reader asked for by name to generate with, at the price of this moment, with no route but where it may run; or a refusal that says why not. */
  resolve: (id: string, reader: Reader) => GenerationModel;
  /** The same of one that makes embeddings. */
  resolveEmbedding: (id: string, reader: Reader) => EmbeddingModel;
  /** What an operator has accepted of alarms like this one, unless it has ended; else null. */
  acceptedAlarm: (alarm: Pick<MoneyAlarm, "kind" | "model">) => AcceptedAlarm | null;
  replace: (models: readonly Model[]) => void;
};

const MAX_NAMED_CHARACTERS = 128;

/**
 * The published models, in memory. Replaced whole, so that a request never sees half a change; and a price takes effect at
 * its date by the clock alone, whether or not the database can be reached at that moment.
 */
export function createCatalogue({ nowMs }: Pick<Clock, "nowMs"> = systemClock): Catalogue {
  let published: readonly Model[] = [];
  let snapshot = snapshotAt(published, 0);

  function find<Found extends Model>(id: string, reader: Reader, kind: Kind<Found>): Found {
    const models = current();
    const found = kind.of(models).get(id);
    const model = found ?? models.byId.get(id);
    if (model === undefined) throw faultOf(notFound(`There is no model ${quote(id)}.`));
    const refused = refusal(model, reader);
    if (refused !== null) throw faultOf(refused);
    if (found === undefined) throw faultOf({ code: "invalid_request", message: kind.other(quote(id)) });
    return keptTo(allowedRegions(reader), found);
  }

  function current(): Snapshot {
    const atMs = nowMs();
    if (atMs >= snapshot.untilMs) snapshot = snapshotAt(published, atMs);
    return snapshot;
  }

  return {
    list: (reader) => {
      const routable = [...current().byId.values()].filter(isBounded);
      return reader === null ? routable : routable.filter((model) => refusal(model, reader) === null);
    },
    resolve: (id, reader) => find(id, reader, GENERATION),
    resolveEmbedding: (id, reader) => find(id, reader, EMBEDDING),
    acceptedAlarm: ({ kind, model }) => {
      const accepted =
        current()
          .byId.get(model)
          ?.acceptedAlarms.find((one) => one.kind === kind) ?? null;
      return accepted === null || nowMs() >= (accepted.untilMs ?? Infinity) ? null : accepted;
    },
    replace: (models) => {
      published = [...models];
      snapshot = snapshotAt(published, nowMs());
    },
  };
}

/** The catalogue as it is until the next price takes effect. */
type Snapshot = {
  byId: ReadonlyMap<string, Model>;
  generating: ReadonlyMap<string, GenerationModel>;
  embedding: ReadonlyMap<string, EmbeddingModel>;
  untilMs: number;
};

/** What is asked of a model, and what is said of one that does the other. */
type Kind<Found extends Model> = {
  of: (snapshot: Snapshot) => ReadonlyMap<string, Found>;
  other: (name: string) => string;
};

const GENERATION: Kind<GenerationModel> = {
  of: ({ generating }) => generating,
  other: (name) => `Model ${name} makes embeddings and can't generate text. Use it with POST /v1/embeddings.`,
};

const EMBEDDING: Kind<EmbeddingModel> = {
  of: ({ embedding }) => embedding,
  other: (name) =>
    `Model ${name} generates text and can't make embeddings. GET /v1/models lists the models that can: \`embeddings\` is true in their capabilities.`,
};

function snapshotAt(published: readonly Model[], atMs: number): Snapshot {
  const dates = published.flatMap(({ upcomingPrices }) => upcomingPrices.map(({ effectiveFromMs }) => effectiveFromMs));
  const models = published.map((model) => modelAt(model, atMs));
  return {
    byId: new Map(models.map((model) => [model.id, model])),
    generating: new Map(models.flatMap((model) => (embeds(model) ? [] : [[model.id, asGenerating(model)]]))),
    embedding: new Map(models.flatMap((model) => (embeds(model) ? [[model.id, model]] : []))),
    untilMs: dates.reduce((next, date) => (date > atMs && date < next ? date : next), Infinity),
  };
}

function modelAt(model: Model, atMs: number): Model {
  const price = priceAt(model.upcomingPrices, atMs);
  if (price === null) return model;
  return { ...model, price, upcomingPrices: model.upcomingPrices.filter((next) => next.effectiveFromMs > atMs) };
}

/** An answer without any bound could cost any amount, so nobody is sold one. [interface decision 17] */
const isBounded = (model: Model): boolean =>
  model.maxOutputTokens !== null || model.outputCeiling !== null || embeds(model);

type Refusal = { code: FaultCode; message: string };

/**
 * Why a reader may not use a model; null when it may. What no key of this mode can use is not in its catalogue: 404. The 403
 * is for what another key of the same mode could use. [spec 7.2]
 */
function refusal(model: Model, reader: Reader): Refusal | null {
  const { mode, providerScope, models, chain } = reader;
  if (!isBounded(model)) return notFound(`Model ${quote(model.id)} has no output limit yet and can't be used.`);
  if (mode === "credit" && model.price === null) {
    return notFound(`Model ${quote(model.id)} has no price, so credit keys can't use it.`);
  }
  if (model.price === null && unitsFor(chain, model.id).includes("credit")) {
    return notFound(`Model ${quote(model.id)} has no price, and the account of this key counts credits.`);
  }
  if (providerScope !== "all" && providerScope !== model.provider) {
    const restriction = `This API key is limited to provider ${quote(providerScope)}`;
    return notEntitled(`${restriction}; model ${quote(model.id)} is from ${quote(model.provider)}.`);
  }
  if (models !== null && !models.includes(model.id)) {
    return notEntitled(`This API key can't use model ${quote(model.id)}. GET /v1/models lists the models it can use.`);
  }
  const regions = allowedRegions(reader);
  if (regions !== null && model.routes.length > 0 && keptTo(regions, model).routes.length === 0) {
    const where = regions.length === 0 ? "in no region that its accounts allow too" : `only in ${words(regions)}`;
    return notEntitled(
      `This API key runs ${where}; model ${quote(model.id)} has no route there. GET /v1/models lists the models it can use.`,
    );
  }
  return null;
}

/** The model with the routes that run in these regions; null: anywhere. */
function keptTo<Found extends Model>(regions: readonly string[] | null, model: Found): Found {
  const routes = routesIn(regions, model.routes);
  return routes.length === model.routes.length ? model : { ...model, routes };
}

const words = (regions: readonly string[]): string => regions.map((region) => `'${region}'`).join(" or ");

const faultOf = ({ code, message }: Refusal): Fault => new Fault(code, message, { param: "model" });

const notFound = (reason: string): Refusal => ({
  code: "model_not_found",
  message: `${reason} GET /v1/models lists the models this key can use.`,
});

const notEntitled = (message: string): Refusal => ({ code: "key_disabled", message });

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_NAMED_CHARACTERS ? `${text.slice(0, MAX_NAMED_CHARACTERS)}…` : text);
}
