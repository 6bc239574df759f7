import type { IncomingMessage, ServerResponse } from "node:http";
import {
  CHECK_PATH,
  deriveTicketKey,
  isTicket,
  looksLikeTicket,
  type TicketKey,
} from "../../core/secret/check-ticket.ts";
import type { Clock } from "../../core/clock.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { plainAddress } from "../../core/network-list.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import type { Handler } from "../router.ts";

type Parts = {
  /** Whoever has it can sign tickets. */
  adminToken: string;
  callerAddress: CallerAddress;
  maxBodyBytes: number;
  longestSilenceMs: number;
  clock: Clock;
};

/** Long enough that a proxy which gathers both events cannot be taken for one that does not. */
const GAP_MS = 1_000;
const MOST_AT_ONCE = 4;
/** Tickets are for one use each. They are remembered for longer than any is valid. */
const REMEMBERED_MS = 120_000;
const MOST_REMEMBERED = 1_000;
const BEARER = /^Bearer (\S+)$/;

/**
 * Tells `tollgate doctor` how its requests arrive through the proxies in front: whether a stream is held back, how large a body may be,
 * and which address is seen. A request without a valid ticket is passed on, and so answered as if there were nothing here.
 */
export function serveChecks(parts: Parts, next: Handler): Handler {
  const { adminToken, clock } = parts;
  let key: Promise<TicketKey> | null = null;
  let open = 0;
  const used = new Set<string>();

  async function admits({ headers }: IncomingMessage): Promise<boolean> {
    const [, ticket = ""] = BEARER.exec(headers.authorization ?? "") ?? [];
    if (!looksLikeTicket(ticket)) return false;
    key ??= deriveTicketKey(adminToken);
    const isValid = isTicket(await key, ticket, clock.nowMs());
    if (!isValid || used.has(ticket) || used.size >= MOST_REMEMBERED || open >= MOST_AT_ONCE) return false;
    used.add(ticket);
    setTimeout(() => used.delete(ticket), REMEMBERED_MS).unref();
    return true;
  }

  async function serve(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
    const check = `${request.method} ${name}`;
    if ((check !== "GET stream" && check !== "POST body") || !(await admits(request))) return next(request, response);
    open += 1;
    response.once("close", () => (open -= 1));
    if (check === "GET stream") sendEvents(parts, request, response);
    else countBody(parts, request, response);
  }

  return (request, response) => {
    const { url = "" } = request;
    if (!url.startsWith(CHECK_PATH)) next(request, response);
    else void serve(request, response, url.slice(CHECK_PATH.length)).catch(() => response.destroy());
  };
}

/** As a generation is streamed: the same headers, one small event, and a second one a second later. */
function sendEvents(
  { callerAddress, clock, longestSilenceMs }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { headers, socket, httpVersion } = request;
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    ...idsOf(clock),
  });
  const seen = {
    address: callerAddress(request),
    peer: plainAddress(socket.remoteAddress ?? ""),
    forwarded_for: textOf(headers["x-forwarded-for"]),
    forwarded: textOf(headers.forwarded),
    http_version: httpVersion,
  };
  const wantedMs = Number(headers["x-tollgate-silence"] ?? 0);
  const silenceMs = Number.isFinite(wantedMs) ? Math.min(Math.max(wantedMs, 0), longestSilenceMs) : 0;
  const send = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
  send(seen);
  let timer = setTimeout(() => {
    send({ gap_ms: GAP_MS });
    if (silenceMs === 0) response.end();
    else timer = setTimeout(() => response.end(`data: ${JSON.stringify({ silence_ms: silenceMs })}\n\n`), silenceMs);
  }, GAP_MS);
  response.once("close", () => clearTimeout(timer));
}

/** Reads a body as large as a request may have, and keeps nothing of it. */
function countBody({ clock, maxBodyBytes }: Parts, request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  const answer = (status: number): void => {
    if (response.headersSent) return;
    response.writeHead(status, { "content-type": "application/json", ...idsOf(clock) });
    response.end(JSON.stringify({ bytes }));
  };
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) answer(400);
  });
  request.on("end", () => answer(200));
  request.on("error", () => response.destroy());
}

const textOf = (header: string | string[] | undefined): string | null => (header === undefined ? null : String(header));

function idsOf(clock: Clock): Record<string, string> {
  const requestId = requestIdOf(createId(clock.nowMs()));
  return { "x-request-id": requestId, "request-id": requestId };
}
