import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALLOWANCES } from "../sdk/allowances.ts";
import { readWithSdk, type Understood, understood } from "../sdk/read-with-sdk.ts";
import { recordedAnswer } from "../sdk/recorded-answer.ts";
import { sdkSchemas } from "../sdk/sdk-schemas.ts";
import { countTokens, type TokenCounts, usageIn } from "../sdk/token-counts.ts";
import { createWireValidator, type WireName } from "../sdk/wire-validator.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { type RecordedFile, recordings } from "../support/recordings.ts";
import { type LoggedRequest, requestLog } from "../support/request-log.ts";
import { until } from "../support/until.ts";

type Dialect = "chat" | "responses" | "messages";
const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];
const PROVIDERS = [...DIALECTS, "gemini", "converse"] as const;
const ASKED = { messages: [{ role: "user", content: "Hello" }] };
const BODIES: Record<Dialect, { path: string; body: object; streamed?: object }> = {
  chat: { path: "/v1/chat/completions", body: ASKED, streamed: { stream_options: { include_usage: true } } },
  responses: { path: "/v1/responses", body: { input: "Hello" } },
  messages: { path: "/v1/messages", body: ASKED },
};
/** What the models of the tests publish; a provider that reports more is not believed. [MON-22] */
const CONTEXT_WINDOW = 128_000;
/** Refusals of a provider, and one answer that is cut inside an event before it has said anything: told with a status. */
const REFUSALS =
  /^(openai-error\.1\.json|reasoning-model-.*-error\.json|parallel-tool-call-wrapper\.1\.chunks|google-429)/;
/** A recorded failure, two answers run together, and streams of Converse without the event that tells what they took. */
const FAILURES =
  /^(openai-error\.1\.chunks|spliced-message-start|amazon-bedrock-json-(tool\.\d|with-tools?\.1)\.chunks)/;

/**
 * What the official client of the provider's own format makes of these is not what was said: two calls under one index become
 * one, content in parts becomes `[object Object]`.
 */
const MISREAD: Readonly<Record<string, Partial<Understood>>> = {
  "cererebras-structured-output-tools.1.chunks.txt": {
    calls: ["bbd2b9d98", "e0ecf32e0"].map((id) => ({ id, name: "nonUsefulTool", input: {} })),
  },
  "mistral-reasoning.chunks.txt": { text: "2 + 2 = 4" },
  "mistral-reasoning.json": { text: "2 + 2 = 4" },
};

/** The end of these says otherwise than their pieces. Their own client believes the end; to others the pieces have been sent. */
const TWO_TALES: Readonly<Record<string, Partial<Understood>>> = {
  "openai-shell-container.1.chunks.txt": { text: "The command ran successfully." },
};
/** Has an event that its own client gives up at. */
const UNREADABLE = /^openai-apply-patch-tool\.1\.chunks/;

type Crossing = RecordedFile & { client: Dialect; provider: (typeof PROVIDERS)[number] };
const crossings: readonly Crossing[] = PROVIDERS.flatMap((provider) =>
  recordings(provider).flatMap((file) => DIALECTS.map((client) => ({ ...file, client, provider }))),
);
const modelOf = ({ client, provider, name }: Crossing): string => `${client}/${provider}/${name}`;
const title = (crossing: Crossing): string =>
  `${crossing.name} of a ${crossing.provider} provider to a client of ${crossing.client}`;
const isWhole = ({ name }: RecordedFile): boolean => name.endsWith(".json");
const answered = crossings.filter(({ name }) => !REFUSALS.test(name) && !FAILURES.test(name));

const { schemas, missing } = await sdkSchemas();
// Reporters pass a file over in silence when all of it is skipped.
if (schemas === null) process.stderr.write(`skipped: the SDKs' types cannot be made into schemas: ${missing}\n`);
const absent = schemas === null || crossings.length === 0;
const faultsOf = schemas === null ? () => [] : createWireValidator(schemas);

type Metered = {
  name: string;
  requestId: string | null;
  outcome: string;
  tokens: { input: number; output: number } | null;
  /** What the client was shown, where that is our own count. */
  shown?: { input: number; output: number };
};
const metered: Metered[] = [];

let gateway: GatewayProcess;
const checked = { recordings: new Set<string>(), answers: 0, events: 0, recorded: 0, faulty: 0 };
beforeAll(async () => {
  if (absent) return;
  const models = crossings.map((crossing): [string, TestModel] => [
    modelOf(crossing),
    { upstream: `replay+recording=${crossing.name}`, spoken: crossing.provider, conformant: false },
  ]);
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) });
});
afterAll(async () => {
  if (absent) return;
  const { recordings: names, answers, events, recorded, faulty } = checked;
  process.stderr.write(`validated: ${names.size} recordings, ${answers} answers to clients, ${events} events\n`);
  process.stderr.write(
    `for comparison: ${faulty} of the providers' own ${recorded} events and answers are not valid\n`,
  );
  await gateway.stop();
});

async function ask(crossing: Crossing) {
  const { path, body, streamed = {} } = BODIES[crossing.client];
  const stream = !isWhole(crossing);
  const response = await fetch(`${gateway.publicUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
    body: JSON.stringify({ model: modelOf(crossing), ...body, stream, ...(stream ? streamed : {}) }),
  });
  return { status: response.status, text: await response.text(), requestId: response.headers.get("x-request-id") };
}

/** What is wrong with what a client was sent, each fault once, without those we allow ourselves. */
function wireFaults(crossing: Crossing, text: string): string[] {
  const values = isWhole(crossing) ? [JSON.parse(text) as unknown] : eventsIn(text);
  checked.recordings.add(`${crossing.provider}/${crossing.name}`);
  checked.answers++;
  checked.events += isWhole(crossing) ? 0 : values.length;
  const faults = values.flatMap((value) => faultsIn(crossing.client, crossing, value));
  const carried = new Set(crossing.client === crossing.provider ? recordedFaults(crossing) : []);
  return [...new Set(faults)].filter(
    (fault) => !carried.has(fault) && !ALLOWANCES.some(({ words }) => words.test(fault)),
  );
}

/** On a route of its own format a provider's faults that no client minds are carried; we only add none. */
function recordedFaults(crossing: Crossing): string[] {
  const faults = recordedAnswer(crossing.client, crossing).values.map((value) =>
    faultsIn(crossing.client, crossing, value),
  );
  checked.recorded += faults.length;
  checked.faulty += faults.filter(({ length }) => length > 0).length;
  return faults.flat();
}

/** A failure is no member of the types of events; it has a type of its own. */
function faultsIn(dialect: Dialect, file: RecordedFile, value: unknown): string[] {
  const { type, error } = value as { type?: string; error?: unknown };
  const failure = dialect === "chat" ? error !== undefined : dialect === "messages" && type === "error";
  const name: WireName = failure
    ? dialect === "chat"
      ? "formatAError"
      : "formatBError"
    : `${dialect}${isWhole(file) ? "Answer" : "Event"}`;
  return faultsOf(name, value).map((words) => `${name} ${words}`);
}

function eventsIn(text: string): unknown[] {
  const data = text.split("\n\n").flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  return data.filter((line) => line !== "[DONE]").map((line) => JSON.parse(line) as unknown);
}

const titled = (given: readonly Crossing[]) => given.map((crossing) => [title(crossing), crossing] as const);

describe.skipIf(absent)("a recorded answer", () => {
  test.each(titled(answered))(
    "%s is valid by that client's types, reads as it was said and tells what its provider counted",
    async (name, crossing) => {
      const { client, provider } = crossing;
      const recorded = recordedAnswer(provider, crossing);
      const { status, text, requestId } = await ask(crossing);
      const counts = countTokens(provider, usageIn(recorded.values));

      expect(status).toBe(200);
      const entry: Metered = { name, requestId, outcome: "completed", tokens: believed(counts) };
      metered.push(entry);
      expect(wireFaults(crossing, text)).toEqual([]);
      if (client === provider && UNREADABLE.test(crossing.name)) return;

      const answer = isWhole(crossing) ? (JSON.parse(text) as object) : await readWithSdk(client, text);
      const said = await recorded.understood();
      const told = { ...said, ...MISREAD[crossing.name], ...(client === provider ? {} : TWO_TALES[crossing.name]) };
      if (said !== null) expect(unnumbered(provider, understood(answer))).toEqual(told);
      if (client === provider) return;
      const shown = countTokens(client, usageIn([answer]));
      if (entry.tokens === null) entry.shown = { input: shown.input, output: shown.output };
      else expect(shown).toEqual(counts);
    },
  );

  test.each(titled(crossings.filter(({ name }) => FAILURES.test(name))))(
    "%s, which fails, ends in an event that is valid by that client's types and raises its error [STR-21]",
    async (name, crossing) => {
      const { status, text, requestId } = await ask(crossing);

      expect(status).toBe(200);
      metered.push({ name, requestId, outcome: "upstream_failed", tokens: null });
      expect(wireFaults(crossing, text)).toEqual([]);
      await expect(readWithSdk(crossing.client, text)).rejects.toThrow();
    },
  );

  test.each(titled(crossings.filter(({ name }) => REFUSALS.test(name))))(
    "%s, which is none, is refused by that client's types of an error",
    async (_name, crossing) => {
      const { status, text } = await ask(crossing);

      // What a provider says of the request is the client's to mend, whatever its status was.
      expect(status).toBe(crossing.name.startsWith("reasoning-model-") ? 400 : 502);
      expect(faultsOf(crossing.client === "messages" ? "formatBError" : "formatAError", JSON.parse(text))).toEqual([]);
    },
  );

  test("each of these is charged for the tokens that its provider counted, or that the client was shown [MON-21] [MON-46]", async () => {
    const line = (id: string | null): LoggedRequest | undefined => lines.get(id ?? "");
    let lines = new Map<string, LoggedRequest>();
    await until(() => {
      lines = new Map(requestLog(gateway).map((logged) => [logged.request_id, logged]));
      return metered.every(({ requestId }) => line(requestId) !== undefined);
    }, "the requests are logged");

    expect(metered.length).toBeGreaterThan(0);
    for (const { name, requestId, shown } of metered) {
      if (shown === undefined) continue;
      const { input_tokens: input, output_tokens: output } = line(requestId) ?? {};
      expect({ name, input, output }).toEqual({ name, ...shown });
    }
    expect(
      metered.map(({ name, requestId, tokens }) => ({
        name,
        outcome: line(requestId)?.outcome,
        tokens: tokens && { input: line(requestId)?.input_tokens, output: line(requestId)?.output_tokens },
      })),
    ).toEqual(metered.map(({ name, outcome, tokens }) => ({ name, outcome, tokens })));
  });
});

/** Gemini gives its calls no ids in these, so that those its callers see are ours. */
const unnumbered = (provider: Crossing["provider"], said: Understood): Understood =>
  provider === "gemini" ? { ...said, calls: said.calls.map((call) => ({ ...call, id: "" })) } : said;

/** Null where the gateway goes by its own estimate: no output was counted, or more than the model can take. [MON-22] */
function believed({ input, output }: TokenCounts): Metered["tokens"] {
  return output === 0 || input + output > CONTEXT_WINDOW ? null : { input, output };
}

test.skipIf(absent).each(ALLOWANCES)(
  "$recording shows that real providers are not held to: $reason",
  ({ words, recording }) => {
    const crossing = crossings.find(
      ({ client, provider, name }) => client === provider && `${provider}/${name}` === recording,
    );
    if (crossing === undefined) throw new Error(`there is no recording ${recording}`);

    expect(recordedFaults(crossing).filter((fault) => words.test(fault))).not.toEqual([]);
  },
);
