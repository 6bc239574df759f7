import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../core/fault.ts";
import { BodyBytes } from "./body-bytes.ts";

const JSON_TYPE = /^application\/json(?:\s*;|$)/i;
const MEBIBYTE = 1_048_576;

/** The bytes of a JSON body. Too large is known from its announced length, else as soon as it is so. [decision 12] */
export function readBody(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  maxBytes: number,
): Promise<Buffer> {
  if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) {
    throw new Fault("invalid_request", "Send the body as `content-type: application/json`.");
  }
  if (request.headers["content-encoding"] !== undefined) {
    throw new Fault("invalid_request", "Send the body uncompressed, without a content-encoding header.");
  }
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  // The caller may have left while its key was looked up; then nothing will ever be heard of it again.
  if (request.destroyed) throw brokeOff();
  if (awaitsContinue(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(announced);
    request.on("data", (chunk: Buffer) => {
      if (body.size + chunk.length <= maxBytes) body.add(chunk);
      else reject(tooLarge(maxBytes));
    });
    request.on("end", () => resolve(body.whole()));
    request.on("error", (cause) => reject(brokeOff(cause)));
  });
}

const brokeOff = (cause?: Error): Fault => new Fault("invalid_request", "The request body broke off.", { cause });

/** HTTP/1.0 knows no interim answers and would take this one for the last. */
function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue";
}

function tooLarge(maxBytes: number): Fault {
  const limit = maxBytes % MEBIBYTE === 0 ? `${maxBytes / MEBIBYTE} MiB` : `${maxBytes} bytes`;
  return new Fault("invalid_request", `The request body is larger than ${limit}, the most this gateway takes.`);
}
