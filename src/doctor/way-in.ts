import { type ClientRequest, request as overHttp, type IncomingMessage } from "node:http";
import { request as overHttps } from "node:https";
import { connect } from "node:tls";
import { constants, createGunzip, type Gunzip } from "node:zlib";
import { CHECK_PATH, deriveTicketKey, signTicket, type TicketKey } from "../core/secret/check-ticket.ts";

export type ProxyAnswer = { status: number; headers: IncomingMessage["headers"]; text: string };

/** What the gateway saw of a request that came through the proxies. */
export type SeenRequest = {
  address: string | null;
  peer: string;
  forwarded_for: string | null;
  forwarded: string | null;
};

/** How a stream with a pause in it arrived. `gapMs`: between its first and its second event; null when not both came. */
export type Streamed = ProxyAnswer & { seen: SeenRequest | null; gapMs: number | null; isComplete: boolean };

export type ServerCertificate = { validToMs: number; problem: string | null; protocol: string; speaksHttp2: boolean };

/** Requests to the gateway the way clients send them: through whatever stands in front of it. */
export type WayIn = {
  url: string;
  /** Needs no ticket and sends no secret, so the certificate is not looked at. */
  get: (path: string) => Promise<ProxyAnswer>;
  certificate: () => Promise<ServerCertificate | null>;
  stream: (silenceMs: number) => Promise<Streamed>;
  /** Sends that many bytes. */
  body: (bytes: number) => Promise<ProxyAnswer>;
};

type Options = { url: string; adminToken: string; nowMs: () => number; elapsedMs: () => number };
type Sent = {
  method?: string;
  headers?: Record<string, string>;
  bytes?: number;
  timeoutMs?: number;
  trust?: "verified" | "any";
  onData?: (text: string) => void;
};

const TIMEOUT_MS = 15_000;
const BODY_TIMEOUT_MS = 120_000;
const CHUNK = Buffer.alloc(65_536, " ");
const MOST_TEXT = 65_536;
/** An address for documentation [RFC 5737]: no request comes from there, so whoever believes it believes anything. */
export const CLAIMED_ADDRESS = "203.0.113.77";

export function openWayIn({ url, adminToken, nowMs, elapsedMs }: Options): WayIn {
  let key: Promise<TicketKey> | null = null;
  const ticket = async (): Promise<Record<string, string>> => {
    key ??= deriveTicketKey(adminToken);
    return { authorization: `Bearer ${signTicket(await key, nowMs())}` };
  };

  return {
    url,
    get: (path) => send(url + path, { trust: "any" }),
    certificate: () => (url.startsWith("https:") ? readCertificate(new URL(url)) : Promise.resolve(null)),
    body: async (bytes) =>
      send(`${url}${CHECK_PATH}body`, {
        method: "POST",
        headers: { ...(await ticket()), "content-type": "application/json", "content-length": String(bytes) },
        bytes,
        timeoutMs: BODY_TIMEOUT_MS,
      }),
    stream: async (silenceMs) => {
      const at: number[] = [];
      let events = 0;
      let text = "";
      const onData = (part: string): void => {
        text += part;
        for (const count = text.split("\n\n").length - 1; events < count; events += 1) at.push(elapsedMs());
      };
      const silence = silenceMs > 0 ? { "x-tollgate-silence": String(silenceMs) } : {};
      const headers = {
        ...(await ticket()),
        ...silence,
        accept: "text/event-stream",
        "accept-encoding": "gzip",
        "x-forwarded-for": CLAIMED_ADDRESS,
      };
      const answer = await send(`${url}${CHECK_PATH}stream`, { headers, onData, timeoutMs: TIMEOUT_MS + silenceMs });
      const [first, second] = at;
      return {
        ...answer,
        seen: answer.status === 200 ? readSeen(answer.text) : null,
        gapMs: first === undefined || second === undefined ? null : second - first,
        isComplete: events === (silenceMs > 0 ? 3 : 2),
      };
    },
  };
}

/** An answer may come before the body is sent, and a proxy that has answered may close: what it said counts. */
function send(
  url: string,
  { method = "GET", headers = {}, bytes = 0, trust = "verified", ...rest }: Sent,
): Promise<ProxyAnswer> {
  const { timeoutMs = TIMEOUT_MS, onData } = rest;
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, rejectUnauthorized: trust === "verified" };
    const request = url.startsWith("https:") ? overHttps(url, options) : overHttp(url, options);
    const timer = setTimeout(() => request.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)), timeoutMs);
    let answered = false;
    request.on("error", (error) => {
      clearTimeout(timer);
      if (!answered) reject(error);
    });
    request.on("response", (response) => {
      answered = true;
      let text = "";
      const end = (): void => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        request.destroy();
      };
      const readable = unpacked(response);
      readable.setEncoding("utf8");
      readable.on("data", (part: string) => {
        if (text.length < MOST_TEXT) text += part;
        onData?.(part);
      });
      for (const event of ["end", "error", "close"]) readable.on(event, end);
      response.on("error", end);
    });
    if (bytes === 0) request.end();
    else writeBody(request, bytes);
  });
}

/** What is there is read at once, however little: a compressing proxy is not to look like one that holds back. */
const unpacked = (response: IncomingMessage): IncomingMessage | Gunzip =>
  response.headers["content-encoding"] === "gzip"
    ? response.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }))
    : response;

function writeBody(request: ClientRequest, bytes: number): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !request.destroyed) {
      const part = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
      left -= part.length;
      if (!request.write(part)) return void request.once("drain", more);
    }
    if (!request.destroyed) request.end();
  };
  more();
}

function readSeen(text: string): SeenRequest | null {
  try {
    return JSON.parse(text.slice("data: ".length, text.indexOf("\n\n"))) as SeenRequest;
  } catch {
    return null;
  }
}

function readCertificate({ hostname, port }: URL): Promise<ServerCertificate> {
  return new Promise((resolve, reject) => {
    const host = hostname.replaceAll(/[[\]]/g, "");
    const socket = connect({
      host,
      port: Number(port || 443),
      // A name only: an address cannot be asked for.
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: false,
      ALPNProtocols: ["h2", "http/1.1"],
      timeout: TIMEOUT_MS,
    });
    socket.once("secureConnect", () => {
      const { valid_to: validTo } = socket.getPeerCertificate();
      const { authorized, authorizationError: reason, alpnProtocol } = socket;
      const problem = authorized ? null : reason instanceof Error ? reason.message : reason;
      const protocol = socket.getProtocol() ?? "TLS";
      resolve({ validToMs: Date.parse(validTo), problem, protocol, speaksHttp2: alpnProtocol === "h2" });
      socket.destroy();
    });
    socket.once("timeout", () => socket.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} s`)));
    socket.once("error", reject);
  });
}
