import { argumentsIn } from "../form/parse-exactly.ts";
import type { Json } from "../../core/bytes/json.ts";
import { said } from "../form/read-json.ts";
import type { CallerTool } from "../form/tools/tool-names.ts";
import { createCustomInput, customInputOf } from "./custom-input.ts";

/** A call that a model makes, of one of its caller's tools. */
export type MadeCall = { itemId: string; callId: string; tool: CallerTool };

/** How the three kinds of calls are told: the item they are, and the events between its beginning and its end. */
type CallShape = {
  prefix: string;
  item: (call: MadeCall, json: string) => Json;
  life: (call: MadeCall) => CallLife;
};

export type CallLife = {
  grew: (json: string) => readonly CallEvent[];
  finished: (json: string) => readonly CallEvent[];
};
type CallEvent = { type: string } & Json;

export const CALLS: Record<CallerTool["kind"], CallShape> = {
  function: {
    prefix: "fc",
    item: (call, json) => ({ ...named("function_call", call), arguments: json }),
    life: ({ tool }) => ({
      grew: (delta) => [{ type: "response.function_call_arguments.delta", delta }],
      finished: (json) => [{ type: "response.function_call_arguments.done", name: tool.name, arguments: json }],
    }),
  },
  custom: {
    prefix: "ctc",
    item: (call, json) => ({ ...named("custom_tool_call", call), input: customInputOf(json) }),
    life: () => {
      const input = createCustomInput();
      const deltas = (delta: string): CallEvent[] =>
        delta === "" ? [] : [{ type: "response.custom_tool_call_input.delta", delta }];
      return {
        grew: (json) => deltas(input.push(json)),
        finished: (json) => [
          ...deltas(input.close()),
          { type: "response.custom_tool_call_input.done", input: customInputOf(json) },
        ],
      };
    },
  },
  tool_search: {
    prefix: "tsc",
    item: ({ itemId, callId }, json) => ({
      id: itemId,
      type: "tool_search_call",
      status: "completed",
      call_id: callId,
      execution: "client",
      arguments: argumentsIn(json),
    }),
    // A search is told whole.
    life: () => ({ grew: () => [], finished: () => [] }),
  },
};

function named(type: string, { itemId, callId, tool: { name, namespace } }: MadeCall): Json {
  return said({ id: itemId, type, status: "completed", call_id: callId, name, namespace });
}
