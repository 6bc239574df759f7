import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { callsAmong } from "../../wire/responses/responses-usage.ts";
import type { ProviderRuns } from "../answer-stage.ts";

/**
 * The calls of a provider's own tools in a stream so far, for one that ends before its usage is said. What they bring is not shown in this
 * format, so that nobody can be charged for it then.
 */
export function createResponsesRuns() {
  const ended: Json[] = [];
  let running = 0;

  const isCall = (item: unknown): item is Json =>
    isObject(item) && Object.keys(callsAmong([{ type: item["type"] }])).length > 0;

  return {
    began: ({ item }: Json): void => {
      if (isCall(item)) running++;
    },
    ended: ({ item }: Json): void => {
      if (!isCall(item)) return;
      running--;
      if (item["status"] !== "failed") ended.push({ type: item["type"], action: item["action"] });
    },
    soFar: (): ProviderRuns => ({ toolCalls: callsAmong(ended), inputTokens: 0, running: running > 0 }),
  };
}
