import { isObject } from "../../core/bytes/is-object.ts";
import type { Examination } from "../../core/catalogue/probe.ts";
import { countIn, textIn } from "./examination.ts";
import { objectIn, type SseEvent } from "./sse-events.ts";

const DONE = "[DONE]";

/** Holds a stream of chat completions against the rules callers are promised. [spec 6.1] */
export function examineChat(events: readonly SseEvent[]): Examination {
  const broken = new Set<string>();
  const chunks = events.filter(({ data }) => data !== DONE).map(({ data }) => objectIn(data));
  const read = chunks.filter((chunk) => chunk !== null);
  if (events.some(({ lines }) => lines.length !== 1 || lines[0]?.startsWith("data:") !== true))
    broken.add("6.1.2 each event is one line that begins with data:");
  if (read.length < chunks.length) broken.add("6.1.2 each event carries a JSON object");
  if (read.some((chunk) => chunk["object"] !== "chat.completion.chunk"))
    broken.add("6.1.3 object is chat.completion.chunk");
  for (const field of ["id", "created", "model", "choices"])
    if (read.some((chunk) => chunk[field] === undefined || chunk[field] === null))
      broken.add(`6.1.3 every chunk has ${field}`);
  // The chunk that only reports usage is asked for by the gateway, which takes it out again.
  const spoken = read.filter((chunk) => !isUsageOnly(chunk));
  for (const rule of brokenByChoices(spoken.map(choicesOf))) broken.add(rule);
  if (events.at(-1)?.data !== DONE) broken.add("6.1.7 the stream ends with data: [DONE]");
  return {
    broken: [...broken],
    model: textIn(read[0], "model"),
    usage: usageIn(read),
  };
}

type Choice = Record<string, unknown>;

const choicesOf = (chunk: Record<string, unknown>): Choice[] =>
  Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [];

const isUsageOnly = (chunk: Record<string, unknown>): boolean =>
  Array.isArray(chunk["choices"]) && chunk["choices"].length === 0 && isObject(chunk["usage"]);

function brokenByChoices(chunks: readonly Choice[][]): string[] {
  const [first = [], ...later] = chunks;
  const all = chunks.flat();
  const delta = first[0]?.["delta"];
  const opens = isObject(delta) && delta["role"] === "assistant" && delta["content"] === "";
  const isWhole = (choice: Choice): boolean =>
    Number.isInteger(choice["index"]) && isObject(choice["delta"]) && choice["finish_reason"] !== undefined;
  const isText = ({ delta: given }: Choice): boolean =>
    !isObject(given) || given["content"] === undefined || typeof given["content"] === "string";
  const finished = all.findIndex((choice) => typeof choice["finish_reason"] === "string");
  const rules: [boolean, string][] = [
    [all.every(isWhole), "6.1.4 every choice has index, delta and finish_reason"],
    [opens, "6.1.5 the first chunk has the role assistant and empty content"],
    [later.flat().every(isText), "6.1.5 content is text"],
    [finished >= 0, "6.1.6 the last chunk has a finish_reason"],
    [finished < 0 || finished === all.length - 1, "6.1.6 finish_reason is null until the last chunk"],
  ];
  return rules.filter(([kept]) => !kept).map(([, rule]) => rule);
}

function usageIn(chunks: readonly Record<string, unknown>[]): Examination["usage"] {
  const usage = chunks.map((chunk) => chunk["usage"]).findLast(isObject);
  if (usage === undefined) return null;
  return { inputTokens: countIn(usage, "prompt_tokens"), outputTokens: countIn(usage, "completion_tokens") };
}
