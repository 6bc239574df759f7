import { createEventCounter } from "./event-counter.ts";
import { type BenchDialect, DIALECTS } from "./dialects.ts";
import { type Subject } from "./subject.ts";

const PROBE_LIMIT_MS = 10_000;

/** One stream, read to its end: how many events it has. Throws with what the other side said when it refuses. */
export async function countEvents(
  subject: Subject,
  dialect: BenchDialect,
  model = subject.models.stream,
): Promise<number> {
  const answer = await ask(subject, dialect, { model, stream: true });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return createEventCounter().take(bytes, 0, bytes.length);
}

/** One plain answer: how long its body is. */
export async function measureAnswer(subject: Subject, dialect: BenchDialect): Promise<number> {
  const answer = await ask(subject, dialect, { model: subject.models.plain });
  return (await answer.arrayBuffer()).byteLength;
}

async function ask(
  subject: Subject,
  dialect: BenchDialect,
  fields: { model: string; stream?: true },
): Promise<Response> {
  const { path, headers, body } = DIALECTS[dialect];
  const answer = await fetch(`${subject.origin}${path}`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${subject.credential}`, "content-type": "application/json" },
    body: JSON.stringify({ ...fields, ...body("Tell me about tolls.") }),
    signal: AbortSignal.timeout(PROBE_LIMIT_MS),
  });
  if (answer.status === 200) return answer;
  throw new Error(
    `${subject.name} refuses ${fields.model} with ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
  );
}
