import { createHash } from "node:crypto";
import { type Agent, type IncomingMessage, request as openRequest } from "node:http";
import { parseCredits } from "../../../src/core/money/money.ts";
import { estimateTokens } from "../../../src/tokens/estimate-tokens.ts";
import type { ClientEntry, Route, Tokens } from "./evidence.ts";
import { codeOf, type Json, signOf, WIRE_ROUTES } from "./wire-routes.ts";

export type StageKey = { id: string; secret: string; mode: "credit" | "token_budget" };

/** When a caller closes its connection: some time after it asked, when it has seen so many events with content, or then. */
export type Leave = { afterMs: number } | { afterEvents: number } | { when: Promise<unknown> };

export type Ask = {
  url: string;
  key: StageKey;
  model: string;
  marker: string;
  route?: Route;
  streamed?: boolean;
  claim?: string;
  maxTokens?: number;
  least?: bigint;
  leave?: Leave;
  /** Longer than any answer of the stage takes, unless told; what comes to it hangs. */
  patienceMs?: number;
  /** Connections of their own unless one is given. */
  agent?: Agent;
  /** Told when the head has come, and after each chunk how many events with content have. */
  onHead?: (status: number) => void;
  onEvents?: (events: number) => void;
};

const PATIENCE_MS = 90_000;

/** A prompt whose length does not depend on what the marker counts. */
export const promptOf = (marker: string): string => `${marker} Write a few words about the sea.`;

/** Makes one attempt and says what was seen of it. Never rejects: a broken connection is something to be seen. */
export function ask(options: Ask): Promise<ClientEntry> {
  const { route = "chat", streamed = false, key, claim, leave } = options;
  const { path, body } = WIRE_ROUTES[route];
  const content = {
    model: options.model,
    prompt: promptOf(options.marker),
    streamed,
    maxTokens: options.maxTokens ?? null,
  };
  const bytes = Buffer.from(JSON.stringify(body(content)));
  const seen = blankEntry(options, bytes);
  const hash = createHash("sha256");

  return new Promise((resolve) => {
    const request = openRequest(`${options.url}${key.mode === "credit" ? "" : "/token"}${path}`, {
      method: "POST",
      agent: options.agent ?? false,
      headers: {
        authorization: `Bearer ${key.secret}`,
        "content-type": "application/json",
        "content-length": bytes.length,
        ...(claim !== undefined && { "idempotency-key": claim }),
      },
    });
    const patience = setTimeout(() => {
      seen.hung = true;
      request.destroy();
    }, options.patienceMs ?? PATIENCE_MS);
    const goAway = (): void => {
      if (seen.terminalAtMs !== null || seen.left) return;
      seen.left = true;
      seen.leftAtMs = Date.now();
      request.destroy();
    };
    const leaving = leave && "afterMs" in leave ? setTimeout(goAway, leave.afterMs) : undefined;
    if (leave && "when" in leave) void leave.when.then(goAway, goAway);
    const finish = (): void => {
      clearTimeout(patience);
      clearTimeout(leaving);
      resolve({ ...seen, endedAtMs: Date.now(), sha256: hash.digest("hex") });
    };
    request.once("close", finish);
    request.on("error", () => undefined);
    request.on("response", (response) => {
      readHead(seen, response);
      options.onHead?.(seen.status ?? 0);
      const reader = seen.status === 200 && streamed ? readStream(seen) : readWhole(seen, response);
      response.on("error", () => undefined);
      response.on("data", (chunk: Buffer) => {
        seen.bytes += chunk.length;
        hash.update(chunk);
        reader.chunk(chunk);
        options.onEvents?.(seen.events);
        if (leave && "afterEvents" in leave && seen.events >= leave.afterEvents) goAway();
      });
      response.on("end", () => reader.end());
    });
    request.end(bytes);
  });
}

const blankEntry = (options: Ask, body: Buffer): ClientEntry => ({
  marker: options.marker,
  keyId: options.key.id,
  model: options.model,
  route: options.route ?? "chat",
  streamed: options.streamed ?? false,
  claim: options.claim ?? null,
  least: options.least ?? null,
  toldPosted: null,
  estimatedInputTokens: estimateTokens(body.toString()),
  sentAtMs: Date.now(),
  endedAtMs: 0,
  holdId: null,
  status: null,
  code: null,
  terminalAtMs: null,
  usage: null,
  events: 0,
  contentAtMs: null,
  bytes: 0,
  sha256: "",
  left: false,
  leftAtMs: null,
  hung: false,
  replayed: false,
});

function readHead(seen: ClientEntry, { statusCode, headers }: IncomingMessage): void {
  seen.status = statusCode ?? null;
  seen.replayed = headers["idempotent-replayed"] === "true";
  const [, hex] = /^req_([0-9a-f]{32})$/.exec(String(headers["x-request-id"])) ?? [];
  seen.holdId = hex?.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") ?? null;
}

type Reader = { chunk: (chunk: Buffer) => void; end: () => void };

function readStream(seen: ClientEntry): Reader {
  const usage: Partial<Tokens> = {};
  let rest = "";
  const event = (text: string): void => {
    const data = /^data: ?(.*)$/m.exec(text)?.[1];
    if (data === undefined) return;
    const sign = signOf(seen.route, data);
    if (sign.content) {
      seen.events += 1;
      seen.contentAtMs ??= Date.now();
    }
    if (sign.error !== null) seen.code = sign.error;
    seen.usage = wholeUsage(Object.assign(usage, sign.usage));
    if (sign.terminal) seen.terminalAtMs = Date.now();
  };
  return {
    chunk: (chunk) => {
      const events = (rest + chunk.toString("latin1")).split("\n\n");
      rest = events.pop() ?? "";
      for (const text of events) event(text);
    },
    end: () => undefined,
  };
}

function readWhole(seen: ClientEntry, response: IncomingMessage): Reader {
  const chunks: Buffer[] = [];
  return {
    chunk: (chunk) => void chunks.push(chunk),
    end: () => {
      if (!response.complete) return;
      const text = Buffer.concat(chunks).toString();
      // A replayed stream comes whole, and is read like one.
      if (text.startsWith("data:") || text.startsWith("event:")) return readStream(seen).chunk(Buffer.concat(chunks));
      const answer = JSON.parse(text) as Json;
      if (seen.status !== 200) readRefusal(seen, answer["error"]);
      else Object.assign(seen, { terminalAtMs: Date.now(), usage: wholeUsage(WIRE_ROUTES[seen.route].usage(answer)) });
    },
  };
}

const wholeUsage = ({ inputTokens, outputTokens }: Partial<Tokens>): Tokens | null =>
  inputTokens === undefined || outputTokens === undefined ? null : { inputTokens, outputTokens };

/** A refusal for lack of money says how much is needed and how much there is. */
function readRefusal(seen: ClientEntry, error: Json | undefined): void {
  seen.code = codeOf(error);
  const [, needed, unit, has] =
    /needs at least ([\d.,]+) (credits|tokens)(?: \(at most [\d.,]+\))?(?:\.| and) [Tt]he key has ([\d.,]+)/.exec(
      String(error?.["message"]),
    ) ?? [];
  if (needed === undefined || has === undefined) return;
  const read = (text: string): bigint | null =>
    unit === "credits" ? parseCredits(text) : BigInt(text.replaceAll(",", ""));
  seen.least ??= read(needed);
  seen.toldPosted = read(has);
}
