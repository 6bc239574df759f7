import { isObject } from "../core/is-object.ts";

/** What a provider says of why it refused, in the three words the formats have for it; each empty when it is not said. */
type ProviderRefusal = { message: string; code: string; type: string };

const NOTHING: ProviderRefusal = { message: "", code: "", type: "" };
const MOST_DETAILS = 5;

/**
 * Reads a refusal in the shapes that providers have for it: `error` as both formats have it, `error` as a text (xAI), its
 * members without `error` around them (Mistral, older vLLM), with `status` for its type (Google), and the list of details that a
 * validating framework makes by itself.
 */
export function readRefusal(body: Buffer): ProviderRefusal {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isObject(value) ? refusalIn(value) : NOTHING;
  } catch {
    return NOTHING;
  }
}

function refusalIn(value: Record<string, unknown>): ProviderRefusal {
  const { error, message, detail } = value;
  if (isObject(error)) return wordsOf(error);
  if (typeof error === "string") return { message: error, code: "", type: textOf(value["code"]) };
  if (isObject(message)) return { ...wordsOf(value), message: detailsOf(message["detail"]) };
  if (typeof message === "string") return wordsOf(value);
  // Nobody answers so but a framework that found the request itself at fault.
  const details = detailsOf(detail);
  return details === "" ? NOTHING : { message: details, code: "", type: "invalid_request_error" };
}

const wordsOf = (owner: Record<string, unknown>): ProviderRefusal => ({
  message: textOf(owner["message"]),
  code: textOf(owner["code"]),
  type: textOf(owner["type"]) || textOf(owner["status"]),
});

/** `body.max_completion_tokens: Extra inputs are not permitted`, and so on. */
function detailsOf(detail: unknown): string {
  if (!Array.isArray(detail)) return "";
  const words = detail.slice(0, MOST_DETAILS).map((item: unknown) => {
    const { loc, msg } = isObject(item) ? item : {};
    const place = Array.isArray(loc) ? loc.filter((step) => /^(string|number)$/.test(typeof step)).join(".") : "";
    return place === "" ? textOf(msg) : `${place}: ${textOf(msg)}`;
  });
  return words.filter((text) => text !== "").join("; ");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
