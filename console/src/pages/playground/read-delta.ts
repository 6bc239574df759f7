import type { Format } from "./formats.ts";

export type TokenUse = { input: number; output: number };

/** What an event adds to an answer. */
export type Delta = {
  text?: string;
  reasoning?: string;
  usage?: Partial<TokenUse>;
  /** The stream failed after it had begun. */
  error?: { code: string; message: string };
  /** The last event of a stream that was delivered. */
  ended?: true;
};

type Bag = { readonly [name: string]: unknown };

const bagOf = (value: unknown): Bag => (typeof value === "object" && value !== null ? (value as Bag) : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const countOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Reads the data of an event. What is no JSON, or of a kind that is not known here, adds nothing. */
export function readDelta(format: Format, data: string): Delta {
  if (data === "[DONE]") return { ended: true };
  try {
    return READERS[format](bagOf(JSON.parse(data)));
  } catch {
    return {};
  }
}

const READERS: Record<Format, (event: Bag) => Delta> = {
  chat: (event) => {
    if (event["error"] !== undefined) return { error: errorOf(event["error"]) };
    const [choice] = Array.isArray(event["choices"]) ? event["choices"] : [];
    const delta = bagOf(bagOf(choice)["delta"]);
    return {
      text: textOf(delta["content"]),
      reasoning: textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]),
      ...usage(bagOf(event["usage"]), "prompt_tokens", "completion_tokens"),
    };
  },
  responses: (event) => {
    const response = bagOf(event["response"]);
    switch (event["type"]) {
      case "response.output_text.delta":
        return { text: textOf(event["delta"]) };
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return { reasoning: textOf(event["delta"]) };
      case "response.completed":
      case "response.incomplete":
        return { ended: true, ...usage(bagOf(response["usage"]), "input_tokens", "output_tokens") };
      case "response.failed":
        return { error: errorOf(response["error"]) };
      case "error":
        return { error: errorOf(event["error"] ?? event) };
      default:
        return {};
    }
  },
  messages: (event) => {
    const delta = bagOf(event["delta"]);
    switch (event["type"]) {
      case "content_block_delta":
        return { text: textOf(delta["text"]), reasoning: textOf(delta["thinking"]) };
      case "message_start":
        return usage(bagOf(bagOf(event["message"])["usage"]), "input_tokens", "output_tokens");
      case "message_delta":
        return usage(bagOf(event["usage"]), "input_tokens", "output_tokens");
      case "message_stop":
        return { ended: true };
      case "error":
        return { error: errorOf(event["error"]) };
      default:
        return {};
    }
  },
};

function usage(of: Bag, inputName: string, outputName: string): Pick<Delta, "usage"> {
  const [input, output] = [countOf(of[inputName]), countOf(of[outputName])];
  if (input === undefined && output === undefined) return {};
  return { usage: { ...(input !== undefined && { input }), ...(output !== undefined && { output }) } };
}

/** Format A has a code; Format B has a type instead. */
export function errorOf(value: unknown): { code: string; message: string } {
  const error = bagOf(value);
  return {
    code: textOf(error["code"]) || textOf(error["type"]) || "error",
    message: textOf(error["message"]) || "The stream failed without a reason.",
  };
}
