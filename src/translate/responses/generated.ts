import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { findMembers } from "../../wire/json/members.ts";
import {
  collectGenerated,
  free,
  type GeneratedKind,
  type OutputMembers,
  SAID,
  textOf,
  THOUGHT,
  WHY,
} from "../collect-generated.ts";
import type { GeneratedPiece } from "../output-meter.ts";

const EVENT: OutputMembers = {
  ...free(WHY.apart, "response", "item", "part"),
  ...free(
    WHY.envelope,
    "type",
    "sequence_number",
    "item_id",
    "output_index",
    "content_index",
    "summary_index",
    "response_id",
    "event_id",
  ),
  ...free(WHY.envelope, "annotation_index", "partial_image_index", "call_id", "agent", "command_index"),
  ...free(WHY.echo, "size", "quality", "background", "output_format"),
  ...free(WHY.padding, "obfuscation"),
  ...free(WHY.counts, "copilot_usage"),
  ...free(WHY.read, "annotation", "output"),
  ...free(WHY.beside, "logprobs"),
  ...free(WHY.media, "partial_image_b64"),
  delta: SAID,
  text: SAID,
  refusal: SAID,
  arguments: SAID,
  input: SAID,
  code: SAID,
  command: SAID,
  diff: SAID,
  transcript: SAID,
};

/** Of a response, beside its output. All but a few say again what was asked for. */
const RESPONSE: OutputMembers = {
  ...free(WHY.apart, "output"),
  ...free(
    WHY.envelope,
    "id",
    "object",
    "created_at",
    "completed_at",
    "status",
    "error",
    "incomplete_details",
    "model",
    "billing",
  ),
  ...free(WHY.repeat, "output_text"),
  ...free(
    WHY.counts,
    "usage",
    "tool_usage",
    "cost",
    "cost_in_usd_ticks",
    "num_sources_used",
    "num_server_side_tools_used",
  ),
  ...free(
    WHY.echo,
    "background",
    "conversation",
    "context_management",
    "frequency_penalty",
    "include",
    "input",
    "instructions",
    "logprobs",
  ),
  ...free(
    WHY.echo,
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "moderation",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
  ),
  ...free(
    WHY.echo,
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
  ),
  ...free(
    WHY.echo,
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
    "verbosity",
  ),
};

const TEXT: OutputMembers = {
  ...free(WHY.envelope, "type", "id"),
  ...free(WHY.read, "annotations"),
  ...free(WHY.beside, "logprobs"),
  ...free(WHY.media, "data", "audio", "image_url"),
  text: SAID,
  refusal: SAID,
  transcript: SAID,
};
const THOUGHTS: OutputMembers = { ...free(WHY.envelope, "type", "id"), text: THOUGHT };

const ITEM: OutputMembers = {
  ...free(
    WHY.envelope,
    "id",
    "type",
    "status",
    "role",
    "call_id",
    "object",
    "phase",
    "created_by",
    "caller",
    "agent",
    "approval_request_id",
  ),
  ...free(
    WHY.echo,
    "server_label",
    "container_id",
    "size",
    "quality",
    "background",
    "output_format",
    "execution",
    "environment",
  ),
  ...free(WHY.opaque, "encrypted_content", "fingerprint"),
  ...free(
    WHY.read,
    "results",
    "outputs",
    "output",
    "error",
    "tools",
    "pending_safety_checks",
    "acknowledged_safety_checks",
    "max_output_length",
  ),
  ...free(WHY.media, "result"),
  content: { inside: TEXT },
  summary: { kind: "thought", inside: THOUGHTS },
  name: SAID,
  arguments: SAID,
  input: SAID,
  code: SAID,
};

/** Beside the name of a tool, which comes at the beginning and again at the end. */
const NAMELESS: OutputMembers = { ...ITEM, ...free(WHY.apart, "name") };

const isThought = (type: unknown): boolean =>
  typeof type === "string" &&
  (type.startsWith("response.reasoning") || type.startsWith("reasoning") || type === "summary_text");
const kindOf = (...types: unknown[]): GeneratedKind => (types.some(isThought) ? "thought" : "said");

/** Whether the request has a member of this name with this value. */
type IsEcho = (name: string, value: unknown) => boolean;

const withoutEcho = (response: Json, isEcho: IsEcho): Json =>
  Object.fromEntries(
    Object.entries(response).filter(([name, value]) => Object.hasOwn(RESPONSE, name) || !isEcho(name, value)),
  );

/** The same where the body that is answered is known: what it says again is its caller's and not the model's. */
export function readGeneratedBeside(body: Buffer): (event: Json) => GeneratedPiece[] {
  let members: Map<string, string> | null = null;
  const isEcho: IsEcho = (name, value) => {
    members ??= new Map(
      findMembers(body).list.map((one) => [one.name, body.toString("utf8", one.valueStart, one.valueEnd)]),
    );
    const sent = members.get(name);
    return sent !== undefined && JSON.stringify(JSON.parse(sent)) === JSON.stringify(value);
  };
  return (event) => readResponsesGenerated(event, isEcho);
}

/** All that is known of the members of this format. */
export const RESPONSES_OUTPUT: readonly OutputMembers[] = [EVENT, RESPONSE, ITEM, TEXT, THOUGHTS];

/** What the model wrote in an event, or in a whole response. */
export function readResponsesGenerated(event: Json, isEcho: IsEcho = () => false): GeneratedPiece[] {
  if (event["object"] === "response" && Array.isArray(event["output"])) return readResponse(event, isEcho);
  const { type, response, item, part } = event;
  const named = typeof type === "string" ? type : "";
  if (named.includes("_call_output")) return [];
  // Ids may change from event to event, and places do not.
  const names = namesOf(indexName(event["output_index"]), idName(event["item_id"]));
  const place = placeOf(event);
  // Text in pieces, and at the end of each part all of it again under a name of its own.
  const form = named.endsWith(".done") ? "whole" : "more";
  const generated = eventTexts(event, { item: names, part: place, form }, kindOf(type));
  if (part != null) {
    const begins = named.endsWith(".added");
    const where = begins
      ? { part: `${place} beginning`, form: "more" as const }
      : { part: place, form: "whole" as const };
    generated.push({ item: names, ...where, ...collectGenerated(part, TEXT, kindOf(type, typeIn(part))) });
  }
  if (item != null)
    generated.push(
      ...itemIn(
        item,
        namesOf(indexName(event["output_index"]), idName(idIn(item))),
        named.endsWith(".added") ? BEGINNING : WHOLE,
      ),
    );
  if (response != null) generated.push(...readResponse(response, isEcho));
  return generated;
}

/** A text under each name that is not known is an item of its own: nobody knows what it repeats. */
function eventTexts(
  event: Json,
  place: Omit<GeneratedPiece, "said" | "thought">,
  kind: GeneratedKind,
): GeneratedPiece[] {
  const known = Object.fromEntries(Object.entries(event).filter(([name]) => Object.hasOwn(EVENT, name)));
  const unknown = Object.keys(event).filter((name) => !Object.hasOwn(EVENT, name));
  return [
    { ...place, ...collectGenerated(known, EVENT, kind) },
    ...unknown.map((name) => ({
      ...place,
      item: place.item.map((item) => `${item} ${name}`),
      ...collectGenerated(event[name], {}, kind),
    })),
  ];
}

/** Which of the texts of an item an event is about. */
function placeOf({ type, content_index: content, summary_index: summary }: Json): string {
  if (summary !== undefined) return `summary ${textOf(summary)}`;
  if (content !== undefined) return `content ${textOf(content)}`;
  return typeof type === "string" ? type.replace(/\.(?:delta|done|added)$/, "") : "";
}

function readResponse(response: unknown, isEcho: IsEcho): GeneratedPiece[] {
  const own: GeneratedPiece = {
    item: ["response"],
    part: null,
    form: "again",
    ...collectGenerated(isObject(response) ? withoutEcho(response, isEcho) : response, RESPONSE),
  };
  const output = isObject(response) ? response["output"] : undefined;
  if (!Array.isArray(output)) return [own, ...itemIn(output, ["output"], AGAIN)];
  // Items of the whole may have other places than in the stream.
  return [
    own,
    ...output.flatMap((item: unknown, at) => itemIn(item, namesOf(idName(idIn(item)), indexName(at)), AGAIN)),
  ];
}

/** What an item begins with is not said again in its pieces. */
const BEGINNING = { part: "beginning", form: "more" } as const;
const WHOLE = { part: null, form: "whole" } as const;
const AGAIN = { part: null, form: "again" } as const;

function itemIn(
  item: unknown,
  names: readonly string[],
  form: typeof BEGINNING | typeof WHOLE | typeof AGAIN,
): GeneratedPiece[] {
  const rest: GeneratedPiece = { item: names, ...form, ...collectGenerated(item, NAMELESS, kindOf(typeIn(item))) };
  const name = isObject(item) ? textOf(item["name"]) : "";
  return [{ item: names, part: "name", form: form === AGAIN ? "again" : "whole", said: name, thought: "" }, rest];
}

const typeIn = (value: unknown): unknown => (isObject(value) ? value["type"] : undefined);
const idIn = (value: unknown): unknown => (isObject(value) ? value["id"] : undefined);
const indexName = (index: unknown): string | null => (index == null ? null : `at ${textOf(index)}`);
const idName = (id: unknown): string | null => (typeof id === "string" ? `id ${id}` : null);
const namesOf = (...names: (string | null)[]): string[] => {
  const known = names.filter((name) => name !== null);
  return known.length === 0 ? [""] : known;
};
