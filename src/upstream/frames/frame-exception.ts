import { isObject } from "../../core/bytes/is-object.ts";
import { streamOf } from "../../core/bytes/stream-of.ts";
import type { Frame } from "../../wire/event-stream/frame.ts";
import type { UpstreamAnswer } from "../upstream.ts";
import type { FrameException } from "./frame-reader.ts";

const LONGEST_NAME = 100;

/** What a frame says of a failure; null: it says none. */
export function exceptionIn({ headers, payload }: Frame): FrameException | null {
  const kind = headers.get(":message-type");
  if (kind === "exception") return { type: nameOf(headers.get(":exception-type")), message: messageIn(payload) };
  if (kind === "error")
    return { type: nameOf(headers.get(":error-code")), message: headers.get(":error-message") ?? "" };
  return null;
}

/** In streams the names begin with a small letter, in headers of refusals with a large one. */
const nameOf = (name = ""): string => name.slice(0, 1).toUpperCase() + name.slice(1, LONGEST_NAME);

function messageIn(payload: Buffer): string {
  try {
    const value: unknown = JSON.parse(payload.toString("utf8"));
    const said = isObject(value) ? (value["message"] ?? value["Message"]) : null;
    return typeof said === "string" ? said : "";
  } catch {
    return "";
  }
}

/** The status that each would have had, had it been said before the answer began. What is not here is a failure of the provider's. */
const STATUSES: Readonly<Record<string, number>> = {
  ValidationException: 400,
  ThrottlingException: 429,
  ModelTimeoutException: 408,
  ModelStreamErrorException: 424,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
};

/** An answer that began with an exception, as the refusal that it is: nobody has been given any of it yet. */
export function refusalOf({ type, message }: FrameException): UpstreamAnswer {
  const body = Buffer.from(JSON.stringify({ message }));
  return {
    status: STATUSES[type] ?? 500,
    headers: { "content-type": "application/json", "x-amzn-errortype": type },
    body: streamOf(body),
  };
}
