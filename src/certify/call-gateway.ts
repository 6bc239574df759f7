import type { ClientDialect } from "../core/request/dialect.ts";

/** What came back from the gateway, as a client of it sees it. */
export type Reply = {
  /** Null: no response in time. */
  status: number | null;
  requestId: string | null;
  text: string;
  firstByteMs: number | null;
  /** Whether we disconnected before the end. */
  left: boolean;
  /** The response broke off, or never came. */
  broken: boolean;
};

/** When to disconnect: once the text so far is enough, or so long after the response began. */
export type Leaving = { when: (text: string) => boolean } | { afterMs: number };

export type CallGateway = (call: {
  dialect: ClientDialect;
  body: object;
  timeoutMs: number;
  leave?: Leaving;
}) => Promise<Reply>;

const PATHS: Readonly<Record<ClientDialect, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

type Parts = { fetch: typeof globalThis.fetch; url: string; secret: string; elapsedMs: () => number };

/** A client of the gateway that keeps every byte. */
export const createCallGateway =
  ({ fetch, url, secret, elapsedMs }: Parts): CallGateway =>
  async ({ dialect, body, timeoutMs, leave }) => {
    const begunMs = elapsedMs();
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const reply: Reply = { status: null, requestId: null, text: "", firstByteMs: null, left: false, broken: false };
    let leaving: NodeJS.Timeout | undefined;
    const goAway = (): void => {
      reply.left = true;
      abort.abort();
    };
    try {
      const response = await fetch(url + PATHS[dialect], {
        method: "POST",
        headers: { "content-type": "application/json", ...credentialOf(dialect, secret) },
        body: JSON.stringify(body),
        signal: abort.signal,
      });
      reply.status = response.status;
      reply.requestId = response.headers.get("x-request-id");
      if (leave && "afterMs" in leave) leaving = setTimeout(goAway, leave.afterMs);
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        reply.firstByteMs ??= Math.round(elapsedMs() - begunMs);
        reply.text += decoder.decode(chunk, { stream: true });
        if (leave && "when" in leave && leave.when(reply.text)) goAway();
      }
    } catch {
      reply.broken = !reply.left;
    } finally {
      clearTimeout(timer);
      clearTimeout(leaving);
    }
    return reply;
  };

const credentialOf = (dialect: ClientDialect, secret: string): Record<string, string> =>
  dialect === "messages"
    ? { "x-api-key": secret, "anthropic-version": "2023-06-01" }
    : { authorization: `Bearer ${secret}` };
