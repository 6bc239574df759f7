import { Fault } from "../core/fault.ts";

/** Anything thrown on the way becomes something a caller can be told. What we did not foresee is ours, and stays ours. */
export function toFault(error: unknown, { bodyBytes }: { bodyBytes: number }): Fault {
  if (error instanceof Fault) return error;
  switch (codeOf(error)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Fault(
        "invalid_request",
        `The request body is larger than ${readable(bodyBytes)}, the most this gateway takes.`,
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Fault("invalid_request", "Send the body as `content-type: application/json`.");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new Fault("invalid_request", "The request body was not as long as its Content-Length said.");
    case "ECONNRESET":
    case "ERR_STREAM_PREMATURE_CLOSE":
      return new Fault("invalid_request", "The request body broke off.");
    default:
      return new Fault("internal_error", "Something went wrong in the gateway. Trying again is safe.", {
        cause: error,
      });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function readable(bytes: number): string {
  return bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`;
}

const MEBIBYTE = 1_048_576;
