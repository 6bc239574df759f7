import type { Json } from "../../../core/bytes/json.ts";

/**
 * A schema that every provider takes for a tool's. OpenAI refuses one that names no members, though it has none, and Anthropic one
 * that does not say it is of an object; MCP servers and callers of the other format leave out either.
 */
export function toolSchema(schema: Json): Json {
  return "type" in schema && "properties" in schema ? schema : { type: "object", properties: {}, ...schema };
}
