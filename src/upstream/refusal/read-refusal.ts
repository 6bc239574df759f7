import { isObject } from "../../core/bytes/is-object.ts";
import type { UpstreamAnswer } from "../upstream.ts";

/**
 * What a provider says of why it refused: in words, empty when there are none, and in every name that programs read. `param`: the member.
 * `passedOn`: some of it is what another said, as a text within.
 */
export type ProviderRefusal = { message: string; names: ReadonlySet<string>; param: string; passedOn?: boolean };

type Json = Record<string, unknown>;
type Told = { message: string; names: Set<string>; param: string; passedOn?: boolean };

const MOST_DETAILS = 5;
/** A refusal within a refusal, as those who pass on what others say have it, and no deeper. */
const DEEPEST = 2;

/**
 * Reads a refusal in the shapes that providers have for it: `error` as both formats have it, `error` as a text (xAI), its
 * members without `error` around them (Mistral, older vLLM, Amazon), in a list (Google), in the failed response of a stream, the list
 * of details that a validating framework makes by itself, and any of these as a text within another (OpenRouter).
 */
export function readRefusal(body: Buffer, headers: UpstreamAnswer["headers"] = {}): ProviderRefusal {
  const refusal = refusalIn(parsed(body.toString("utf8")), DEEPEST);
  const kind = headers["x-amzn-errortype"];
  if (typeof kind === "string") refusal.names.add(/^[^:#]*/.exec(kind)?.[0] ?? "");
  return refusal;
}

const told = (message: string, names = new Set<string>(), param = ""): Told => ({ message, names, param });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function refusalIn(given: unknown, depth: number): Told {
  const value: unknown = Array.isArray(given) ? given[0] : given;
  if (!isObject(value)) return told("");
  const { error, message, response, detail } = value;
  if (isObject(error)) return withinOf(error, depth);
  if (isObject(response)) return refusalIn(response, depth);
  if (typeof error === "string") return told(error, namesOf(value));
  if (isObject(message)) return told(detailsOf(message["detail"]), namesOf(value));
  if (message !== undefined || value["Message"] !== undefined) return withinOf(value, depth);
  if (typeof detail === "string") return told(detail);
  // Nobody answers so but a framework that found the request itself at fault.
  const details = detailsOf(detail);
  return told(details, new Set(details === "" ? [] : ["invalid_request_error"]));
}

/** What `owner` says, or what it passes on, if it passes on anything. */
function withinOf(owner: Json, depth: number): Told {
  const metadata = isObject(owner["metadata"]) ? owner["metadata"] : {};
  const message = textOf(owner["message"]) || textOf(owner["Message"]);
  const names = namesOf(owner);
  if (Array.isArray(metadata["reasons"])) names.add("metadata.reasons");
  const raw = textOf(metadata["raw"]);
  const within = depth === 0 ? null : refusalIn(parsed(raw || message), depth - 1);
  for (const name of within?.names ?? []) names.add(name);
  const found = told(within?.message || raw || message, names, textOf(owner["param"]) || within?.param);
  return { ...found, passedOn: found.message !== message || (within?.names.size ?? 0) > 0 };
}

function namesOf(owner: Json): Set<string> {
  const { code, type, status, innererror, details, __type: amazon } = owner;
  const reasons = Array.isArray(details) ? details.map((detail) => (isObject(detail) ? detail["reason"] : null)) : [];
  const inner = isObject(innererror) ? innererror["code"] : null;
  return new Set(
    [code, type, status, inner, afterNamespace(amazon), ...reasons].map(nameOf).filter((name) => name !== ""),
  );
}

/** `com.amazon.coral.service#ValidationException`, or the name alone. */
const afterNamespace = (name: unknown): string => textOf(name).replace(/^.*#/, "");

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
const nameOf = (value: unknown): string => (typeof value === "number" ? String(value) : textOf(value));
