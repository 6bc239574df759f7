import { isObject } from "../../core/bytes/is-object.ts";
import { heedingChoice } from "./chosen-tool.ts";
import type { JsonObject } from "../dialect.ts";
import { offersNothingElse } from "./provider-run.ts";
import { createRemember } from "./remember.ts";
import type { Script } from "./script.ts";

/** What a script comes to for one call, given the conversation so far and the calls before it under the same name. */
type TakeTurn = (call: { script: Script; name: string; body: JsonObject }) => Script;

export function createTakeTurn(): TakeTurn {
  const callsOf = createRemember<{ count: number }>(10_000);

  return ({ script, name, body }) => {
    const done = (script.toolOnce && holdsToolResult(body)) || offersNothingElse(body);
    const planned = done ? { ...script, tool: null, tools: [] } : script;
    const turn = heedingChoice(planned, body);
    if (script.failures === null) return turn;
    const calls = callsOf(name, () => ({ count: 0 }));
    calls.count += 1;
    return calls.count <= script.failures ? turn : { ...turn, refuseStatus: null, interruption: null };
  };
}

/** Each dialect has a place and a word of its own for what a tool said. */
function holdsToolResult({ messages, input, contents }: JsonObject): boolean {
  const said = [messages, input, contents].find((list) => Array.isArray(list)) ?? [];
  return said.some((item: unknown) => {
    if (!isObject(item)) return false;
    const { role, type, content, parts } = item;
    if (role === "tool") return true;
    if (typeof type === "string" && type.endsWith("_call_output")) return true;
    if (Array.isArray(parts)) return parts.some((part) => isObject(part) && part["functionResponse"] !== undefined);
    return (
      Array.isArray(content) &&
      content.some((block) => isObject(block) && (block["type"] === "tool_result" || block["toolResult"] !== undefined))
    );
  });
}
