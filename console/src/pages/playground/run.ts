import { errorOf, readDelta, type TokenUse } from "./read-delta.ts";
import { readEvents } from "./read-events.ts";
import { type Format, WIRES } from "./formats.ts";

/** An event with its time since the request was sent. */
export type TimedEvent = { atMs: number; name: string | null; data: string };

/** One request and what has come back so far. */
export type Run = {
  status: "asking" | "streaming" | "done" | "stopped" | "failed";
  format: Format;
  body: object;
  requestId: string | null;
  /** Since it was sent: until the first text, and until the end. Null: not yet. */
  firstMs: number | null;
  tookMs: number | null;
  text: string;
  reasoning: string;
  events: readonly TimedEvent[];
  usage: TokenUse | null;
  error: { code: string; message: string; status: number | null } | null;
};

export const isRunning = (run: Run | null): boolean => run?.status === "asking" || run?.status === "streaming";

type Given = { format: Format; body: object; signal: AbortSignal; onChange: (run: Run) => void };

/** Asks with the session of this page, and tells of every change until the end. */
export async function ask({ format, body, signal, onChange }: Given): Promise<void> {
  const startedMs = performance.now();
  const sinceMs = (): number => performance.now() - startedMs;
  const events: TimedEvent[] = [];
  let run: Run = {
    status: "asking",
    format,
    body,
    requestId: null,
    firstMs: null,
    tookMs: null,
    text: "",
    reasoning: "",
    events,
    usage: null,
    error: null,
  };
  const change = (next: Partial<Run>): void => onChange((run = { ...run, ...next }));
  change({});
  try {
    const response = await fetch(`/me${WIRES[format].path}`, {
      method: "POST",
      credentials: "same-origin",
      redirect: "error",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    change({ requestId: response.headers.get("x-request-id") });
    if (!response.ok || response.body === null) {
      const told = (await response.json().catch(() => ({}))) as { error?: unknown };
      return change({
        status: "failed",
        tookMs: sinceMs(),
        error: { ...errorOf(told.error), status: response.status },
      });
    }
    change({ status: "streaming" });
    let ended = false;
    for await (const { name, data } of readEvents(response.body)) {
      const atMs = sinceMs();
      events.push({ atMs, name, data });
      const delta = readDelta(format, data);
      ended ||= delta.ended === true;
      change({
        events: [...events],
        text: run.text + (delta.text ?? ""),
        reasoning: run.reasoning + (delta.reasoning ?? ""),
        firstMs: run.firstMs ?? (delta.text || delta.reasoning ? atMs : null),
        usage: delta.usage ? { input: 0, output: 0, ...run.usage, ...delta.usage } : run.usage,
        ...(delta.error && { error: { ...delta.error, status: null } }),
      });
    }
    const cut = { code: "stream_cut", message: "The stream ended without its last event.", status: null };
    change({
      status: ended && run.error === null ? "done" : "failed",
      tookMs: sinceMs(),
      error: run.error ?? (ended ? null : cut),
    });
  } catch (cause) {
    if (signal.aborted) return change({ status: "stopped", tookMs: sinceMs() });
    const message = cause instanceof Error ? cause.message : String(cause);
    change({ status: "failed", tookMs: sinceMs(), error: { code: "unreachable", message, status: null } });
  }
}
