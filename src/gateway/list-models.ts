import { embeds } from "../catalogue/embeds.ts";
import type { Catalogue, Reader } from "../catalogue/catalogue.ts";
import type { Model, Price } from "../catalogue/model.ts";
import { Fault } from "../core/fault.ts";
import { formatCredits } from "../core/money/money.ts";
import { byWord, TARIFF_PARTS, type TariffPart } from "../core/money/price.ts";
import type { ListedModel, ModelList } from "../wire/models/model-list.ts";

export type ListModels = (reader: Reader | null) => ModelList;

export type ShowModel = (id: string, reader: Reader | null) => ListedModel;

/** The models a key may use; for nobody in particular, the public catalogue. [spec 4.2] */
export const createListModels =
  ({ catalogue }: { catalogue: Catalogue }): ListModels =>
  (reader) => ({ object: "list", data: catalogue.list(reader).map(listed) });

/** One model of that list; a model that is not in it does not exist for this reader. [interface decision 37] */
export const createShowModel =
  ({ catalogue }: { catalogue: Catalogue }): ShowModel =>
  (id, reader) => {
    const model = catalogue.list(reader).find((candidate) => candidate.id === id);
    if (model) return listed(model);
    const shown = JSON.stringify(id.length > LONGEST_SHOWN ? `${id.slice(0, LONGEST_SHOWN)}…` : id);
    throw new Fault("model_not_found", `There is no model ${shown}. GET /v1/models lists the models you can use.`, {
      param: "model",
    });
  };

const LONGEST_SHOWN = 128;

function listed(model: Model): ListedModel {
  return {
    id: model.id,
    object: "model",
    created: Math.floor(model.createdAtMs / 1000),
    owned_by: model.ownedBy,
    ...(model.displayName === null ? {} : { display_name: model.displayName }),
    ...(model.tagline === null ? {} : { tagline: model.tagline }),
    provider: model.provider,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    capabilities: embeds(model) ? { ...model.capabilities, embeddings: true } : model.capabilities,
    ...(model.price === null ? {} : { pricing: pricing(model.price, embeds(model) ? ["inputNano"] : TARIFF_PARTS) }),
  };
}

/** `parts`: those that answers of the model may come to. */
function pricing(price: Price, parts: readonly TariffPart[]): Record<string, unknown> {
  const tools = Object.entries(price.toolCallNano).map(([name, nano]) => [name, Number(formatCredits(nano))] as const);
  return {
    unit: "credits_per_million_tokens",
    ...byWord(parts, (part) => (price[part] == null ? undefined : Number(formatCredits(price[part])))),
    ...(tools.length === 0 ? {} : { credits_per_tool_call: Object.fromEntries(tools) }),
  };
}
