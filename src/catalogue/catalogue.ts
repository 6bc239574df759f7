import { Fault } from "../core/fault.ts";
import type { Model } from "./model.ts";

/** Who asks: a key's restrictions, or nobody in particular. */
export type Reader = { providerScope: string; models: readonly string[] | null };

export type Catalogue = {
  /** What a reader may use; without a reader, the public catalogue. */
  list: (reader: Reader | null) => readonly Model[];
  /** The model a reader asked for by name, or a refusal that says why not. */
  resolve: (id: string, reader: Reader) => Model;
  replace: (models: readonly Model[]) => void;
};

const MAX_NAMED_CHARACTERS = 128;

/** The published models, in memory. Replaced whole, so that a request never sees half a change. */
export function createCatalogue(): Catalogue {
  let models: readonly Model[] = [];
  let byId = new Map<string, Model>();

  return {
    list: (reader) => (reader === null ? models : models.filter((model) => refusal(model, reader) === null)),
    resolve: (id, reader) => {
      const model = byId.get(id);
      if (!model) {
        throw new Fault(
          "model_not_found",
          `The model ${quote(id)} does not exist. GET /v1/models lists those this key may use.`,
          {
            param: "model",
          },
        );
      }
      const reason = refusal(model, reader);
      if (reason !== null) throw new Fault("key_disabled", reason, { param: "model" });
      return model;
    },
    replace: (next) => {
      models = [...next];
      byId = new Map(next.map((model) => [model.id, model]));
    },
  };
}

/** Why a reader may not use a model; null when it may. */
function refusal(model: Model, { providerScope, models }: Reader): string | null {
  if (providerScope !== "all" && providerScope !== model.provider) {
    return `This API key is restricted to provider ${quote(providerScope)}; ${quote(model.id)} belongs to ${quote(model.provider)}.`;
  }
  if (models !== null && !models.includes(model.id)) {
    return `This API key is not entitled to ${quote(model.id)}. GET /v1/models lists those it may use.`;
  }
  return null;
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_NAMED_CHARACTERS ? `${text.slice(0, MAX_NAMED_CHARACTERS)}…` : text);
}
