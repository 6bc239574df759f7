import { writeFileSync } from "node:fs";
import { type BenchDialect, dialectOf, pathOf, PROVIDER_DIALECTS } from "./dialects.ts";
import { requestBytes } from "./load-job.ts";
import { PROVIDER_CREDENTIAL, UPSTREAM_MODELS } from "./subject.ts";

/** What the compiled provider sends to requests whose first line contains `path` and whose body has the fields. */
export type Answer = { path: string; fields: Record<string, string>; everyMs: number; frames: Buffer[] };

const AUTHORIZATION = `Bearer ${PROVIDER_CREDENTIAL}`;
const IDLE_EVERY_MS = 1_000;
const IDLE_EVENTS = 600;

/**
 * Asks the simulator for one answer of each kind in each format. The compiled provider sends the same bytes again, so both
 * providers speak the true format, and a format that the simulator learns needs nothing here. The first answer that fits is sent.
 */
export async function recordAnswers(simulatorUrl: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const dialect of PROVIDER_DIALECTS) answers.push(...(await answersOf(simulatorUrl, dialect)));
  const models = await fetch(`${simulatorUrl}/v1/models`, { headers: { authorization: AUTHORIZATION } });
  answers.push({ path: "GET /v1/models", fields: {}, everyMs: 0, frames: [await plainFrame(models)] });
  return answers;
}

async function answersOf(simulatorUrl: string, dialect: BenchDialect): Promise<Answer[]> {
  const { operation, usageAsked } = dialectOf(dialect);
  const ask = async (streamed: boolean, more: object = {}): Promise<Response> => {
    const model = streamed ? UPSTREAM_MODELS.stream : UPSTREAM_MODELS.plain;
    const input = { origin: simulatorUrl, dialect, credential: PROVIDER_CREDENTIAL, headers: {}, model, streamed };
    const [, body = ""] = requestBytes(input).toString().split("\r\n\r\n");
    return fetch(`${simulatorUrl}${pathOf(dialect, { model, streamed })}`, {
      method: "POST",
      headers: { ...dialectOf(dialect).headers, authorization: AUTHORIZATION, "content-type": "application/json" },
      body: JSON.stringify({ ...(JSON.parse(body) as object), ...more }),
    });
  };
  const told = "stream" in dialectOf(dialect).body({ model: "", content: "", streamed: true });
  const streams: Answer = {
    path: operation(true),
    fields: told ? { stream: "true" } : {},
    everyMs: 0,
    frames: await streamFrames(await ask(true)),
  };
  const withUsage: Answer[] =
    usageAsked === null
      ? []
      : [
          {
            ...streams,
            fields: { ...streams.fields, include_usage: "true" },
            frames: await streamFrames(await ask(true, usageAsked)),
          },
        ];
  return [
    ...(dialect === "chat" ? [idleOf(withUsage[0] ?? streams)] : []),
    ...withUsage,
    streams,
    { path: operation(false), fields: {}, everyMs: 0, frames: [await plainFrame(await ask(false))] },
  ];
}

/** The stream's beginning, then its second event once a second, then its end. */
function idleOf({ path, frames: [first, second, ...rest] }: Answer): Answer {
  if (first === undefined || second === undefined) throw new Error("the simulator's stream has no events");
  return {
    path,
    fields: { stream: "true", model: JSON.stringify(UPSTREAM_MODELS.idle) },
    everyMs: IDLE_EVERY_MS,
    frames: [first, ...Array<Buffer>(IDLE_EVENTS).fill(second), ...rest.slice(-3)],
  };
}

/** The head goes with the first event, as servers do that write both at once; every other event is a frame of its own. */
async function streamFrames(response: Response): Promise<Buffer[]> {
  const bytes = await bytesOf(response);
  const framed = FRAMED.test(response.headers.get("content-type") ?? "");
  const events = framed ? framesIn(bytes) : (bytes.toString().match(/[^]*?(?:\n\n|\r\n\r\n)/g) ?? []).map(toBytes);
  if (events.length === 0) throw new Error(`the simulator's stream at ${response.url} has no events`);
  return events.map((event, place) =>
    Buffer.concat([
      toBytes(place === 0 ? `${headOf(response)}transfer-encoding: chunked\r\n\r\n` : ""),
      toBytes(`${event.length.toString(16)}\r\n`),
      event,
      toBytes(place === events.length - 1 ? "\r\n0\r\n\r\n" : "\r\n"),
    ]),
  );
}

const FRAMED = /^application\/vnd\.amazon\.eventstream/;
const toBytes = (text: string): Buffer => Buffer.from(text);

/** Each begins with its length. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += frames.at(-1)?.length ?? bytes.length)
    frames.push(bytes.subarray(at, at + bytes.readUInt32BE(at)));
  return frames;
}

async function plainFrame(response: Response): Promise<Buffer> {
  const bytes = await bytesOf(response);
  return Buffer.concat([toBytes(`${headOf(response)}content-length: ${bytes.length}\r\n\r\n`), bytes]);
}

async function bytesOf(response: Response): Promise<Buffer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200)
    throw new Error(`the simulator answers ${response.status}: ${bytes.toString().slice(0, 300)}`);
  return bytes;
}

function headOf(response: Response): string {
  const kept = ["content-type", "cache-control", "x-request-id"].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}\r\n`];
  });
  return `HTTP/1.1 200 OK\r\n${kept.join("")}`;
}

/** In the form that `provider.c` reads. */
export function writeAnswers(file: string, answers: readonly Answer[]): void {
  const parts = answers.flatMap(({ path, fields, everyMs, frames }) => [
    Buffer.from(`answer ${everyMs} ${Object.keys(fields).length} ${frames.length}\n${path}\n`),
    ...Object.entries(fields).map(([key, value]) => Buffer.from(`${key} ${value}\n`)),
    ...frames.flatMap((frame) => [Buffer.from(`${frame.length}\n`), frame]),
  ]);
  writeFileSync(file, Buffer.concat(parts));
}
