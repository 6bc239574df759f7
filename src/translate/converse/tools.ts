import type { Json } from "../../core/bytes/json.ts";
import { hasWords } from "../form/build-form.ts";
import { said } from "../form/read-json.ts";
import type { RequestForm, ToolChoice, ToolForm } from "../form/request-form.ts";
import { toolSchema } from "../form/tools/tool-schema.ts";
import { cachePointOf } from "./cache-points.ts";
import { cachesTools, takesChoice, takesNamedChoice } from "./models.ts";

/** A model that is offered no tool is told of one that does nothing where calls of before must stand beside tools. */
const INERT: Json = {
  toolSpec: {
    name: "none",
    description: "Does nothing. Do not call this tool.",
    inputSchema: { json: { type: "object", properties: {} } },
  },
};

/** Tools and cache points behind them, and how a tool is to be chosen. Null: neither is told. */
export function toolConfigOf(form: RequestForm, model: string): { tools: Json[]; toolChoice: Json | null } | null {
  const { tools, toolChoice, turns } = form;
  // There is no choice of none: what may not be called is not offered.
  if (tools.length > 0 && toolChoice?.kind !== "none")
    return { tools: tools.flatMap((tool) => partsOf(tool, model)), toolChoice: choiceOf(toolChoice, model) };
  const called = turns.some(({ blocks }) => blocks.some(({ kind }) => kind === "tool_call" || kind === "tool_result"));
  return called ? { tools: [INERT], toolChoice: null } : null;
}

function partsOf({ name, description, schema, cacheHint }: ToolForm, model: string): Json[] {
  const words = description !== null && hasWords(description) ? description : null;
  return [
    { toolSpec: said({ name, description: words, inputSchema: { json: toolSchema(schema) } }) },
    ...(cachesTools(model) ? cachePointOf(cacheHint, model) : []),
  ];
}

function choiceOf(choice: ToolChoice | null, model: string): Json | null {
  switch (choice?.kind) {
    case undefined:
    case "none":
      return null;
    case "auto":
      return takesChoice(model) ? { auto: {} } : null;
    case "required":
      return takesChoice(model) ? { any: {} } : null;
    case "tool":
      if (takesNamedChoice(model)) return { tool: { name: choice.name } };
      return takesChoice(model) ? { any: {} } : null;
    default:
      return choice satisfies never;
  }
}
