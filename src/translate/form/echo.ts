import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectsOf } from "./read-json.ts";

/** What an answer repeats of a large body at most; the rest of it is told as if it had not been said. */
const MOST_BYTES = 131_072;
const MOST_TOOLS = 2_048;

/** What was said in the conversation is repeated in no answer. */
const CONVERSATION: ReadonlySet<string> = new Set(["input", "messages", "system"]);

/**
 * What answers to a large body know of it, as JSON: its settings, and its tools by what they are called. The body itself would have
 * to be read again while others wait.
 */
export function echoOf(body: Json): string {
  const tools = namesOf(objectsOf(body["tools"]));
  const brought = objectsOf(body["input"]).flatMap(({ tools: found }) => objectsOf(found));
  const echo: Json = {
    ...(tools.length > 0 && { tools }),
    ...(brought.length > 0 && { input: [{ tools: namesOf(brought) }] }),
  };
  let left = MOST_BYTES;
  for (const [name, value] of Object.entries(body)) {
    if (CONVERSATION.has(name)) continue;
    const { length } = JSON.stringify(value);
    if (length > left) continue;
    left -= length;
    echo[name] = value;
  }
  return JSON.stringify(echo);
}

/** Without what they are described by. */
function namesOf(tools: readonly Json[]): Json[] {
  return tools.slice(0, MOST_TOOLS).map((tool) => {
    const { type, name, namespace, execution, defer_loading: deferred, function: form, tools: members } = tool;
    return {
      type,
      name,
      namespace,
      execution,
      defer_loading: deferred,
      ...(isObject(form) && { function: { name: form["name"] } }),
      ...(Array.isArray(members) && { tools: namesOf(objectsOf(members)) }),
    };
  });
}
