import { createEventCounter } from "./event-counter.ts";
import { type BenchDialect, dialectOf, pathOf } from "./dialects.ts";
import type { Expected, Kind } from "./slice.ts";
import type { Subject } from "./subject.ts";

const PROBE_LIMIT_MS = 30_000;
/** Ids and times in an answer may be a little shorter the next time. */
const VARYING_BYTES = 32;

/** What a subject answers now is what it must answer under load. Throws with what the other side said when it refuses. */
export async function probe(
  subject: Subject,
  { dialect, kind, model = subject.models[kind] }: { dialect: BenchDialect; kind: Kind; model?: string },
): Promise<Expected> {
  const streamed = kind === "stream";
  const answer = await fetch(`${subject.origin}${pathOf(dialect, { model, streamed })}`, {
    method: "POST",
    headers: {
      ...dialectOf(dialect).headers,
      ...subject.headers,
      authorization: `Bearer ${subject.credential}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(dialectOf(dialect).body({ model, content: "Tell me about tolls.", streamed })),
    signal: AbortSignal.timeout(PROBE_LIMIT_MS),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) {
    throw new Error(`${subject.name} refuses ${model} with ${answer.status}: ${bytes.toString().slice(0, 300)}`);
  }
  if (streamed) return { eventsPerStream: createEventCounter().take(bytes, 0, bytes.length), leastBytes: 0 };
  return { eventsPerStream: null, leastBytes: Math.max(1, bytes.length - VARYING_BYTES) };
}
