/** OTLP over HTTP as a client sent it. */
export type ToldTelemetry = { body: Buffer; type: string; encoding: string };

/** Sends it on, or drops it. Never waits, and never fails. */
export type ForwardTelemetry = (signal: "metrics" | "logs" | "traces", told: ToldTelemetry) => void;

type Post = (
  url: string,
  options: {
    method: "POST";
    headers: Record<string, string>;
    body: Uint8Array;
    signal: AbortSignal;
    redirect: "error";
  },
) => Promise<{ body: { cancel: () => Promise<void> } | null }>;

type Parts = {
  /** The base URL of a collector; null: everything is dropped. */
  collectorUrl: string | null;
  post: Post;
};

const MOST_UNDER_WAY = 16;
const TIMEOUT_MS = 5_000;

/** The collector gets what the client wrote and nothing of its credential. A collector that is slow or away costs telemetry, not requests. */
export function createForwardTelemetry({ collectorUrl, post }: Parts): ForwardTelemetry {
  let underWay = 0;
  const base = collectorUrl?.replace(/\/$/, "");

  async function send(url: string, { body, type, encoding }: ToldTelemetry): Promise<void> {
    underWay++;
    try {
      const headers = { "content-type": type, ...(encoding !== "" && { "content-encoding": encoding }) };
      const options = { method: "POST", headers, body, redirect: "error" } as const;
      const response = await post(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await response.body?.cancel();
    } catch {
      // It is dropped.
    } finally {
      underWay--;
    }
  }

  return (signal, told) => {
    if (base !== undefined && underWay < MOST_UNDER_WAY) void send(`${base}/v1/${signal}`, told);
  };
}
