import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { ReadAs, Schema } from "../wire/validate.ts";

export type GatewayAddress = {
  adminUrl: string;
  adminToken: string;
  /** What to do when it does not answer. */
  advice?: string;
};

type Ask = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/** No answer, or none that says whether it was done. */
class GatewayUnreachableError extends Error {
  override readonly name = "GatewayUnreachableError";
}

/** What the gateway would not do, in its own words. */
export class GatewayRefusalError extends Error {
  override readonly name = "GatewayRefusalError";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const TIMEOUT_MS = 30_000;

/** Asks the admin listener of a running gateway. */
function createAsk({ adminUrl, adminToken, advice }: GatewayAddress, timeoutMs = TIMEOUT_MS): Ask {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${adminUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    }).catch((cause: unknown) => {
      const hint = advice === undefined ? "" : `. ${advice}`;
      throw new GatewayUnreachableError(`the gateway at ${adminUrl} does not answer${why(cause, timeoutMs)}${hint}`, {
        cause,
      });
    });
    const answer = (await response.json().catch(() => ({}))) as { error?: { message: string } };
    if (response.ok) return answer as Answer;
    const message = answer.error?.message ?? `the gateway answered ${response.status}`;
    throw response.status >= 500
      ? new GatewayUnreachableError(message)
      : new GatewayRefusalError(message, response.status);
  };
}

/** In brackets; nothing of the request is in it. */
function why(cause: unknown, timeoutMs: number): string {
  if (!(cause instanceof Error)) return "";
  if (cause.name === "TimeoutError") return ` within ${(timeoutMs / 1_000).toLocaleString("en-US")} s`;
  const { code } = (cause.cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? ` (${code})` : "";
}

/** Asks for an answer of a known shape, and reads it. */
export type AskFor = <Answer extends Schema>(
  answer: Answer,
  method: string,
  path: string,
  body?: unknown,
) => Promise<ReadAs<Answer>>;

/** `askPatiently` waits longer, for what takes long. */
export type Asking = { ask: AskFor; askPatiently: AskFor };

/** An answer of another shape is none: whether anything was done is not known. */
export const createAskFor =
  (gateway: GatewayAddress, timeoutMs?: number): AskFor =>
  async (answer, method, path, body) => {
    const told = await createAsk(gateway, timeoutMs)(method, path, body);
    const whole = answer.safeParse(told);
    const read = whole.success ? whole : answer.safeParse(withNulls(told, whole.error.issues));
    if (read.success) return read.data as ReadAs<typeof answer>;
    throw new GatewayUnreachableError(
      `the gateway at ${gateway.adminUrl} answered ${method} ${path} in a way that this command cannot read; is it of another version?`,
      { cause: read.error },
    );
  };

/** A gateway of the version before names no member that is new: it is null, where it may be. A secret in the answer is shown only once. */
function withNulls(told: unknown, issues: readonly { path: readonly PropertyKey[] }[]): unknown {
  const filled: unknown = structuredClone(told);
  for (const { path } of issues) {
    const holder = path
      .slice(0, -1)
      .reduce((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], filled);
    const name = path.at(-1);
    if (typeof holder === "object" && holder !== null && name !== undefined && !(name in holder))
      (holder as Record<PropertyKey, unknown>)[name] = null;
  }
  return filled;
}

export const queryOf = (fields: Readonly<Record<string, string | number | null | undefined>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])),
  ).toString();

/** Events of a stream, as they come: each with its name and its data. Ends when the gateway ends it. */
export type OpenEvents = (path: string) => Promise<AsyncIterable<{ name: string; data: unknown }>>;

/** A gateway that is there says something every second. */
const SILENT_MS = 30_000;

export const createOpenEvents =
  ({ adminUrl, adminToken }: GatewayAddress): OpenEvents =>
  async (path) => {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENT_MS).unref();
    const response = await fetch(`${adminUrl}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${adminToken}`, accept: "text/event-stream" },
      signal: silence.signal,
    }).catch((cause: unknown) => {
      throw new GatewayUnreachableError(`the gateway at ${adminUrl} does not answer`, { cause });
    });
    if (response.ok && response.body !== null) return eventsIn(response.body, () => timer.refresh());
    const { error } = (await response.json().catch(() => ({}))) as { error?: { message: string } };
    throw new GatewayRefusalError(error?.message ?? `the gateway answered ${response.status}`, response.status);
  };

async function* eventsIn(body: ReadableStream<Uint8Array>, onRead: () => void) {
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for await (const bytes of body) {
    onRead();
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { event: name, data } of events.splice(0))
      if (name !== undefined) yield { name, data: JSON.parse(data) as unknown };
  }
}
