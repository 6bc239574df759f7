import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { Fault } from "../../core/fault.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import { GROUNDED_PROMPT, NO_TOOL_CALLS, type Usage } from "../../core/money/usage.ts";
import type { AnswerStage, PlainAnswer, Verdict } from "../answer-stage.ts";
import { DROP, FAILED, TERMINAL } from "../answer-stage.ts";
import { OutputMeter } from "../output-meter.ts";
import { type Answer, type AnswerEvent, createFold } from "../form/answer-form.ts";
import { sealsOf } from "../form/native.ts";
import { parseExactly } from "../form/parse-exactly.ts";
import type { Json } from "../../core/bytes/json.ts";
import { withoutReasoning } from "../form/without-reasoning.ts";
import type { AnsweredBy, AnswerName, AnswerReader, ClientSide, ProviderSide } from "../form/sides.ts";
import type { AnswerOrigin, Told, Translator } from "../translator.ts";
import { upstreamRequest } from "../form/upstream-request.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { inspectMembers } from "../../wire/members/inspect-members.ts";
import { createFreshCallIds } from "../form/tools/fresh-call-ids.ts";
import { mayBeMade } from "../form/tools/tool-names.ts";

/** More than any model says in one answer. What is added up may not grow without end. */
const MOST_CHARACTERS = 1_048_576;
const MOST_BLOCKS = 2_000;

/** Between two dialects, by way of the form: any reader with any writer. `extra` is what the provider is told where nothing else than its ordinary price is asked for. */
export function createCrossing(client: ClientSide, provider: ProviderSide, extra: Json = {}): Translator {
  return {
    request: (request, told) => writeRequest(request, told),
    plain: (bytes, request, origin) => readPlain(bytes, nameOf(request, origin), answeredIn(origin)),
    stage: (request, origin) => {
      const stage = createStage(client, provider, { name: nameOf(request, origin), answered: answeredIn(origin) });
      return (request.providerTools ?? []).length === 0 ? stage : withSearches(stage);
    },
  };

  function writeRequest(
    request: GenerationRequest,
    { upstreamModel, maxOutputTokens, quirks = {}, reasoning }: Told,
  ): Buffer {
    const form = client.form(bodyOf(request), sealsOf(request.stamp).open);
    const body = provider.request(reasoning === false ? withoutReasoning(form) : form, {
      model: upstreamModel,
      stream: request.stream,
      maxOutputTokens: maxOutputTokens ?? request.maxOutputTokens,
      quirks,
    });
    return Buffer.from(
      JSON.stringify(permitted({ ...body, ...(request.tier === PLAIN_TIER ? extra : { service_tier: request.tier }) })),
    );
  }

  /** The caller's own words were read when they came; these are ours, and some of them were sealed when they did. */
  function permitted(body: Json): Json {
    const { fault } = inspectMembers(provider.members, body, { mediaUrls: "https", refused: "fault" });
    if (fault !== null) throw fault;
    return body;
  }

  function readPlain(bytes: Buffer, name: AnswerName, answered: AnsweredBy): PlainAnswer {
    const { events, usage } = provider.whole(bytes, answered);
    if (!everyCallIsNamed(events))
      throw new Fault("upstream_error", "The provider's response calls a tool without a name. It is safe to retry.");
    const { answer, add } = createFold();
    const named = createCallNaming(client, name);
    for (const event of events) add(named(event));
    const written = client.whole(name, answer, usage);
    return { bytes: Buffer.from(JSON.stringify(written)), usage, shown: written["usage"] };
  }
}

/** The body as a provider may see it, without the names of the caller's users. */
function bodyOf(request: GenerationRequest): Json {
  const bytes = upstreamRequest(request, { upstreamModel: request.model, maxOutputTokens: null });
  return parseExactly(bytes.toString("utf8")) as Json;
}

function nameOf(request: GenerationRequest, { requestId, createdAtSeconds }: AnswerOrigin): AnswerName {
  let body: Json | null = null;
  return {
    id: requestId.replace(/^req_/, ""),
    model: request.model,
    createdAtSeconds,
    usageWanted: request.wantsUsageEvent,
    echo: () => (body ??= parseExactly(request.echo ?? request.bytes.toString("utf8")) as Json),
    mentions: (text) => request.bytes.includes(JSON.stringify(text)),
    bodyBytes: request.bytes.length,
    seal: sealsOf(request.stamp).seal,
  };
}

const answeredIn = ({ upstreamModel = "" }: AnswerOrigin): AnsweredBy => ({ model: upstreamModel });

type Asked = { name: AnswerName; answered: AnsweredBy };

function createStage(client: ClientSide, provider: ProviderSide, { name, answered }: Asked): AnswerStage {
  const reader = provider.reader(answered);
  const { answer, add } = createFold();
  const writer = client.writer(name, answer);
  const meter = new OutputMeter(provider.generated, provider.counter ?? null);
  /** Written by the event that ended the provider's stream, and sent before ours ends. */
  let last: Buffer[] = [];
  let whole = false;
  const withBeginning = createBeginning();
  const named = createCallNaming(client, name);

  function write(events: readonly AnswerEvent[]): Buffer[] {
    const written: Buffer[] = [];
    for (const given of withBeginning(events)) {
      const event = named(given);
      add(event);
      requireBounded(answer);
      for (const bytes of writer.write(event)) written.push(bytes);
    }
    return written;
  }

  function event(bytes: Buffer, start: number, end: number): Verdict {
    const text = bytes.subarray(start, end);
    const events = reader.read(text);
    if (events === null || !everyCallIsNamed(events)) return FAILED;
    if (!meter.again(bytes, start, end)) noteText(text, meter, reader);
    const written = write(events);
    if (!reader.ended()) return written.length === 0 ? DROP : joined(written);
    last = written;
    return TERMINAL;
  }

  function close(): Buffer | null {
    const events = reader.close();
    if (events === null || !everyCallIsNamed(events)) return null;
    const written = write(events);
    whole = true;
    return Buffer.concat([...last, ...written]);
  }

  function terminal(charged: Usage | null = reader.usage()): Buffer | null {
    if (!whole) return null;
    const ending = writer.close(charged);
    return Buffer.concat([...ending.rest, ending.terminal]);
  }

  return {
    event,
    close,
    terminal,
    usage: reader.usage,
    inputUsage: reader.inputUsage,
    delivered: meter.delivered,
    keepAlive: client.keepAlive,
    failure: writer.failure,
  };
}

/** What was searched is told at the end. Until then, an answer that was begun rests on one search at least. */
function withSearches(stage: AnswerStage): AnswerStage {
  let isWhole = false;
  const searched = (seen: Usage["toolCalls"]): Usage["toolCalls"] =>
    isWhole || stage.delivered.length === 0 ? seen : { ...ONE_SEARCH, ...seen };
  return {
    ...stage,
    close: () => {
      const ending = stage.close();
      isWhole ||= ending !== null;
      return ending;
    },
    usage: () => {
      const said = stage.usage();
      return said && { ...said, toolCalls: searched(said.toolCalls) };
    },
    providerRuns: () => ({
      toolCalls: searched(stage.usage()?.toolCalls ?? NO_TOOL_CALLS),
      inputTokens: 0,
      running: false,
    }),
  };
}

const ONE_SEARCH = { web_search: 1, [GROUNDED_PROMPT]: 1 };

function noteText(text: Buffer, meter: OutputMeter, reader: AnswerReader): void {
  meter.note(text);
  const usage = reader.usage();
  if (usage !== null) meter.delivered.told(usage.outputTokens);
}

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);

/** An answer begins, and once, whatever its provider forgets or repeats. Only its terms may be named before. */
function createBeginning(): (events: readonly AnswerEvent[]) => readonly AnswerEvent[] {
  let begun = false;
  return (events) => {
    if (begun && !events.some(isBeginning)) return events;
    const at = begun ? 0 : events.findIndex(({ kind }) => kind !== "tier-named");
    if (at === -1) return events;
    const rest = events.slice(at).filter((event) => !isBeginning(event));
    if (begun) return rest;
    begun = true;
    return [...events.slice(0, at), { kind: "answer-started" }, ...rest];
  };
}

const isBeginning = ({ kind }: AnswerEvent): boolean => kind === "answer-started";

/** A call under the name that its caller has for the tool. The body is read again only where that can be another. */
function createCallNaming({ toolNames }: ClientSide, name: AnswerName): (event: AnswerEvent) => AnswerEvent {
  const freshId = createFreshCallIds(name);
  let names: { calledBy: (name: string) => string } | null = null;
  return (event) => {
    if (event.kind !== "block-started" || event.block.kind !== "tool_call") return event;
    const block = { ...event.block, id: freshId(event.block.id) };
    if (toolNames === null || !mayBeMade(block.name)) return { ...event, block };
    names ??= toolNames(name.echo());
    return { ...event, block: { ...block, name: names.calledBy(block.name) } };
  };
}

/** A call that names no tool is nothing that a client can act on, so that its provider has failed. */
function everyCallIsNamed(events: readonly AnswerEvent[]): boolean {
  return events.every(
    (event) => event.kind !== "block-started" || event.block.kind !== "tool_call" || event.block.name !== "",
  );
}

function requireBounded({ length, blocks }: Answer): void {
  if (length > MOST_CHARACTERS) {
    throw new AnswerLimitError(
      `The response exceeds ${MOST_CHARACTERS.toLocaleString("en-US")} characters, the limit for a translated response.`,
    );
  }
  if (blocks.length > MOST_BLOCKS) {
    throw new AnswerLimitError(
      `The response exceeds ${MOST_BLOCKS.toLocaleString("en-US")} blocks, the limit for a translated response.`,
    );
  }
}
