import { isObject } from "../../core/bytes/is-object.ts";

type Data = Record<string, unknown>;

/** An answer with more items than this is not one we can follow; its later ids stay as they are. */
const MOST_ITEMS = 10_000;

/**
 * Holds a responses stream to the ids it began with: the first of the response, and the first of each output item by its
 * place. Clients join events by these, and some providers make new ones for every event.
 */
export function createSteadyIds(): (event: Data) => Data {
  let responseId: unknown = null;
  const itemIds = new Map<number, unknown>();

  function itemIdAt(index: unknown, id: unknown): unknown {
    if (typeof index !== "number" || typeof id !== "string") return id;
    const known = itemIds.get(index);
    if (known !== undefined) return known;
    if (itemIds.size < MOST_ITEMS) itemIds.set(index, id);
    return id;
  }

  function withItemId(item: unknown, index: unknown): unknown {
    return isObject(item) && "id" in item ? { ...item, id: itemIdAt(index, item["id"]) } : item;
  }

  function steadyResponse(response: Data): Data {
    responseId ??= response["id"];
    const output = response["output"];
    return {
      ...response,
      id: responseId,
      ...(Array.isArray(output) ? { output: output.map((item, index) => withItemId(item, index)) } : {}),
    };
  }

  return (event) => {
    const steady = { ...event };
    if (isObject(event["response"])) steady["response"] = steadyResponse(event["response"]);
    if ("item" in event) steady["item"] = withItemId(event["item"], event["output_index"]);
    if ("item_id" in event) steady["item_id"] = itemIdAt(event["output_index"], event["item_id"]);
    return steady;
  };
}
