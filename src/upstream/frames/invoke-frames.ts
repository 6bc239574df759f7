import { isObject } from "../../core/bytes/is-object.ts";
import type { FrameException, FrameReader } from "./frame-reader.ts";
import { eventOf } from "./named-frames.ts";

type Json = Record<string, unknown>;

const NOTHING = Buffer.alloc(0);
const METRICS = "amazon-bedrock-invocationMetrics";
/** An event that can be written on as it came: its type is its first word, and nothing in it is Bedrock's own or ends the line. */
const PLAIN = /^\{"type":"(content_block_\w{1,20}|ping)"[^\n\r]*$/;
/** What some deployments say of the cache with the last event alone, where nobody else says it. */
const CACHE_COUNTS = ["cache_creation_input_tokens", "cache_read_input_tokens", "cache_creation"];

/** Frames of InvokeModel with the events of messages in them, each with padding. */
export function createInvokeFrames(): FrameReader {
  /** The event that tells of the output: what the last one says of the cache belongs to it. */
  let kept: Json | null = null;
  let isWhole = false;

  const rest = (): Buffer => {
    const event = kept === null ? NOTHING : messagesEvent(kept);
    kept = null;
    return event;
  };

  return {
    events: (type, payload) => {
      if (type !== "chunk") return NOTHING;
      const text = textIn(payload);
      if (text === null) return null;
      const plain = kept === null ? PLAIN.exec(text)?.[1] : undefined;
      if (plain !== undefined) return eventOf(plain, Buffer.from(text));
      const event = parsed(text);
      if (event === null || typeof event["type"] !== "string" || !/^\w{1,64}$/.test(event["type"])) return null;
      delete event[METRICS];
      if (event["type"] === "message_stop") {
        isWhole = true;
        kept = withCacheCounts(kept, event);
      }
      const before = rest();
      if (event["type"] !== "message_delta") return Buffer.concat([before, messagesEvent(event)]);
      kept = event;
      return before;
    },
    exception: failureEvent,
    isWhole: () => isWhole,
    rest,
  };
}

const messagesEvent = (event: Json): Buffer => eventOf(String(event["type"]), Buffer.from(JSON.stringify(event)));

const failureEvent = ({ type, message }: FrameException): Buffer =>
  messagesEvent({ type: "error", error: { type, message } });

function withCacheCounts(kept: Json | null, stop: Json): Json | null {
  const { usage, ...before } = kept ?? {};
  const said = stop["usage"];
  if (kept === null || !isObject(said)) return kept;
  const counts = Object.fromEntries(CACHE_COUNTS.filter((name) => name in said).map((name) => [name, said[name]]));
  return { ...before, usage: { ...(isObject(usage) ? usage : {}), ...counts } };
}

function textIn(payload: Buffer): string | null {
  const bytes = parsed(payload.toString("utf8"))?.["bytes"];
  return typeof bytes === "string" ? Buffer.from(bytes, "base64").toString("utf8") : null;
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
