import type { Webhook } from "../core/webhook-list.ts";
import type { Payload } from "./payload.ts";
import { signedHeaders } from "./sign.ts";

/** What came back. `problem` is one of few words, so that nothing a receiver says reaches a log; `said` is the start of its body. */
export type Sent = { ok: boolean; status: number | null; problem: string | null; tookMs: number; said: string };

type Means = {
  fetch: typeof globalThis.fetch;
  clock: { nowMs: () => number; elapsedMs: () => number };
  timeoutMs: number;
};

export type SendWebhook = (webhook: Webhook, payload: Payload, stopping?: AbortSignal) => Promise<Sent>;

/** More of a response is not read. */
const MOST_BYTES = 1_024;

/** Makes one attempt. Redirects are not followed, and the timeout covers all of it, the body of the response included. */
export const createSendWebhook =
  ({ fetch, clock, timeoutMs }: Means): SendWebhook =>
  async ({ url, secrets }, { id, ...payload }, stopping) => {
    const beganMs = clock.elapsedMs();
    const body = JSON.stringify(payload);
    const timestamp = Math.floor(clock.nowMs() / 1_000);
    const limit = AbortSignal.timeout(timeoutMs);
    const result = (sent: Omit<Sent, "tookMs">): Sent => ({ ...sent, tookMs: clock.elapsedMs() - beganMs });
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          "user-agent": "tollgate",
          ...signedHeaders({ id, timestamp, body }, secrets),
        },
        body,
        signal: stopping ? AbortSignal.any([limit, stopping]) : limit,
      });
      const { status } = response;
      const said = await beginningOf(response);
      return result({ ok: response.ok, status, problem: response.ok ? null : problemOf(status), said });
    } catch (error) {
      const problem = limit.aborted ? "timeout" : stopping?.aborted ? "stopped" : reasonOf(error);
      return result({ ok: false, status: null, problem, said: "" });
    }
  };

const problemOf = (status: number): string =>
  status >= 300 && status < 400 ? "redirect" : status === GONE ? "gone" : "status";

/** The receiver wants no more. */
export const GONE = 410;

/** The start of a response, whatever its encoding; the rest is left unread and the connection is closed. */
async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  try {
    for (let bytes = 0; reader && bytes < MOST_BYTES;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      text += decoder.decode(value.subarray(0, MOST_BYTES), { stream: true });
    }
  } catch {
    // The status has arrived, and it is what counts.
  }
  await reader?.cancel().catch(() => undefined);
  return text.slice(0, MOST_BYTES);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection lost",
  UND_ERR_SOCKET: "connection lost",
  EPIPE: "connection lost",
  ENOTFOUND: "host unknown",
  EAI_AGAIN: "host unknown",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "host unreachable",
};

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  const code = typeof cause?.code === "string" ? cause.code : "";
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) return "certificate not accepted";
  return REASONS[code] ?? "no response";
}
