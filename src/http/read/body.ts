import type { IncomingMessage } from "node:http";
import { Fault } from "../../core/fault.ts";
import { GatheredBytes } from "../../core/bytes/gathered-bytes.ts";
import { invariant } from "../../core/invariant.ts";
import type { RequireFunds } from "../../gateway/require-funds.ts";
import type { Arrivals } from "./arrivals.ts";
import type { Exchange, PublicRoute } from "../public-route.ts";
import type { Share } from "./payer-shares.ts";

const JSON_TYPE = /^application\/json(?:\s*;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i;
/** Named as often as anybody likes, this means that nothing was done to the bytes. [RFC 9110, 8.4.1] */
const UNENCODED = /^\s*(?:identity\s*(?:,\s*identity\s*)*)?$/i;
const MEBIBYTE = 1_048_576;

type Arriving = Pick<Exchange, "request" | "response" | "context"> & { route: Pick<PublicRoute, "maxBodyBytes"> };

/** The bytes of a JSON body. May throw at once, too. */
export type ReadBody = (arriving: Arriving) => Promise<Buffer>;

type Parts = {
  /** The most that a key without money may send. */
  unfundedBytes: number;
  requireFunds: RequireFunds;
  arrivals: Pick<Arrivals, "watch" | "drop">;
};

/**
 * Nothing of a body is read unless there is room for it and its key may send as much. Both are known from its announced length,
 * else as soon as it is more. [interface decision 12, 45]
 */
export function createReadBody({ unfundedBytes, requireFunds, arrivals }: Parts): ReadBody {
  return ({ route: { maxBodyBytes: maxBytes }, request, response, context }) => {
    const { caller, share } = context;
    invariant(caller !== null && share !== null, "a body without a caller");
    requireJson(request);
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBytes) throw tooLarge(maxBytes);
    share.requireRoom(announced);
    const permit = (): Promise<void> => requireFunds(caller.key, unfundedBytes);
    const begin = (permittedBytes: number): Promise<Buffer> => {
      // The caller may have left while its key was looked up; then nothing will ever be heard of it again.
      if (request.destroyed) throw brokeOff();
      if (awaitsContinue(request)) response.writeContinue();
      return receive({ request, response, share, arrivals, maxBytes, permittedBytes, permit });
    };
    return announced > unfundedBytes ? permit().then(() => begin(maxBytes)) : begin(unfundedBytes);
  };
}

/** Nothing is kept of it beyond a few bytes, so it takes no share. */
const NO_SHARE: Pick<Share, "take" | "giveBack"> = { take: () => undefined, giveBack: () => undefined };

type Small = Pick<Exchange, "request" | "response"> & { maxBytes: number };

/** The bytes of a small body, of whoever sends one. */
const createReadSmall =
  (arrivals: Pick<Arrivals, "watch" | "drop">, requireType: (request: IncomingMessage) => void) =>
  async ({ request, response, maxBytes }: Small): Promise<Buffer> => {
    requireType(request);
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    if (request.destroyed) throw brokeOff();
    if (awaitsContinue(request)) response.writeContinue();
    const permit = (): Promise<void> => Promise.resolve();
    return receive({ request, response, share: NO_SHARE, arrivals, maxBytes, permittedBytes: maxBytes, permit });
  };

export const createReadSmallBody = (arrivals: Pick<Arrivals, "watch" | "drop">) =>
  createReadSmall(arrivals, requireJson);

/** What a browser or an OAuth client sends. */
export const createReadSmallForm = (arrivals: Pick<Arrivals, "watch" | "drop">) =>
  createReadSmall(arrivals, requireForm);

/** Of any type and coding, such as the telemetry of a client. */
export const createReadSmallBytes = (arrivals: Pick<Arrivals, "watch" | "drop">) =>
  createReadSmall(arrivals, () => undefined);

type Receipt = Pick<Exchange, "request" | "response"> & {
  share: Pick<Share, "take" | "giveBack">;
  arrivals: Pick<Arrivals, "watch" | "drop">;
  maxBytes: number;
  /** Beyond this many the permit is asked for. */
  permittedBytes: number;
  permit: () => Promise<void>;
};

function receive({ request, response, share, arrivals, maxBytes, permittedBytes, permit }: Receipt): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let body = new GatheredBytes(Number(request.headers["content-length"] ?? 0));
  let permitted = permittedBytes;
  const watched = arrivals.watch({ received: () => body.size, cut });

  function keep(chunk: Buffer): void {
    if (body.size + chunk.length > maxBytes) return fail(tooLarge(maxBytes));
    try {
      share.take(chunk.length);
    } catch (fault) {
      return fail(fault);
    }
    body.add(chunk);
    if (body.size <= permitted) return;
    permitted = maxBytes;
    request.pause();
    permit().then(() => request.resume(), fail);
  }

  /** The rest of it may never come, so the connection ends with the answer. */
  function cut(fault: Fault): void {
    response.shouldKeepAlive = false;
    fail(fault);
  }

  function fail(fault: unknown): void {
    arrivals.drop(watched);
    request.off("data", keep);
    body = new GatheredBytes(0);
    share.giveBack();
    reject(fault);
  }

  request.on("data", keep);
  request.on("end", () => {
    arrivals.drop(watched);
    resolve(body.whole());
  });
  request.on("error", (cause) => fail(brokeOff(cause)));
  return promise;
}

function requireJson(request: IncomingMessage): void {
  if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) {
    throw new Fault("invalid_request", "Send the request body as `content-type: application/json`.");
  }
  requirePlain(request);
}

function requireForm(request: IncomingMessage): void {
  if (!FORM_TYPE.test(request.headers["content-type"] ?? "")) {
    throw new Fault("invalid_request", "Send the request body as `content-type: application/x-www-form-urlencoded`.");
  }
  requirePlain(request);
}

function requirePlain({ headers }: IncomingMessage): void {
  if (!UNENCODED.test(headers["content-encoding"] ?? "")) {
    throw new Fault(
      "invalid_request",
      "Compressed request bodies aren't supported. Send the body without `content-encoding`.",
    );
  }
}

const brokeOff = (cause?: Error): Fault =>
  new Fault("invalid_request", "The request body is incomplete: the connection closed before all of it arrived.", {
    cause,
  });

/** HTTP/1.0 knows no interim answers and would take this one for the last. */
function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue";
}

/** For a body that came another way. */
export function requireSize(body: Buffer, maxBytes: number): void {
  if (body.length > maxBytes) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): Fault {
  const limit = maxBytes % MEBIBYTE === 0 ? `${maxBytes / MEBIBYTE} MiB` : `${maxBytes.toLocaleString("en-US")} bytes`;
  return new Fault("invalid_request", `The request body is larger than the limit of ${limit}.`);
}
