import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { answerOk, closeProviders, harness, provider, route } from "../../../tests/support/dispatch-stage.ts";
import { sharedFolder } from "../../../tests/support/recordings.ts";
import { bodyOf, relayBody } from "../../../tests/translation/relay-answer.ts";
import { requestOf } from "../../../tests/translation/request-of.ts";
import { pickTranslator } from "../../translate/pick-translator.ts";
import { writeFrame } from "../../wire/event-stream/frame.ts";
import { requestFault } from "../refusal/provider-error.ts";
import { readBeginning } from "../refusal/read-beginning.ts";
import { type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import { converseConvention } from "./converse-convention.ts";

afterEach(closeProviders);

const HEADERS = { "content-type": "application/vnd.amazon.eventstream" };
const SINK = { onGone: () => undefined };
const CLAUDE = "us.anthropic.claude-opus-5";
const { unframe } = converseConvention;

const begin = (bytes: Buffer, cut = bytes.length): Promise<UpstreamAnswer> => {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += cut) chunks.push(bytes.subarray(at, at + cut));
  const answer = { status: 200, headers: HEADERS, body: bodyOf(chunks) };
  return unframe?.(answer, SINK) ?? Promise.resolve(answer);
};

const folder = join(sharedFolder() ?? "", "recordings/clouds/bedrock-converse");
const recorded = sharedFolder() === null ? [] : readdirSync(folder).toSorted();

/** The tokens that each is charged for; the status of a refusal; or that it broke off, before it began or amid its answer. */
type Played = [input: number, output: number] | number | "broken at once" | "broken off";
const STREAMS: Record<string, Played> = {
  "agentgateway-basic.bin": [15, 142],
  "agentgateway-broken.bin": "broken at once",
  // Amazon's own client gives up at it: its frames do not say that they are events. They are told by their names all the same.
  "agentgateway-reasoning.bin": [18, 46],
  "agentgateway-tool.bin": [150, 45],
  "made-amazon-bedrock-json-only-text-first.1.bin": [100, 20],
  "made-amazon-bedrock-json-other-tool.1.bin": [843, 28],
  "made-amazon-bedrock-json-tool-text-then-weather-then-json.1.bin": [500, 100],
  // These were recorded without their last event.
  "made-amazon-bedrock-json-tool.1.bin": "broken off",
  "made-amazon-bedrock-json-tool.2.bin": "broken off",
  "made-amazon-bedrock-json-tool.3.bin": "broken off",
  "made-amazon-bedrock-json-with-tool.1.bin": "broken off",
  "made-amazon-bedrock-json-with-tools.1.bin": "broken off",
  "made-amazon-bedrock-reasoning.bin": [51, 94],
  "made-amazon-bedrock-text.bin": [22, 55],
  "made-amazon-bedrock-tool-call.1.bin": [125, 45],
  "made-amazon-bedrock-tool-no-args.bin": [100, 25],
  "made-bad-message-crc.bin": "broken off",
  "made-bad-prelude-crc.bin": "broken at once",
  "made-cache-details.bin": [21_187, 1],
  "made-cut-inside-frame.bin": "broken off",
  "made-error-frame.bin": "broken off",
  "made-exception-first.bin": 429,
  "made-exception-model-stream-error.bin": "broken off",
  "made-exception-throttling.bin": "broken off",
  "made-exception-unknown.bin": "broken off",
  "made-exception-validation.bin": 400,
  "made-gross-input-tokens.bin": [24_800, 1],
  // Nothing of the prompt reached the model.
  "made-guardrail-intervened.bin": [0, 0],
  "made-huge-length.bin": "broken at once",
  "made-no-message-stop.bin": "broken off",
  "made-no-metadata.bin": "broken off",
  "made-redacted-reasoning.bin": [10, 1],
  "made-unknown-event.bin": [10, 1],
};

async function play(bytes: Buffer, model = CLAUDE, cut = bytes.length): Promise<Played> {
  const begun = await begin(bytes, cut).catch((error: unknown) => error);
  if (begun instanceof UpstreamError) return "broken at once";
  const answer = begun as UpstreamAnswer;
  if (answer.status !== 200) return answer.status;
  const pair = { client: "chat", provider: "converse", route: "translated" } as const;
  const { outcome, usage } = await relayBody(pair, answer.body, model);
  return outcome === "completed" && usage !== null ? [usage.inputTokens, usage.outputTokens] : "broken off";
}

const WHOLES: Record<string, [input: number, output: number] | null> = {
  "agentgateway-basic.json": [18, 46],
  "agentgateway-cache_write.json": [2_403, 9],
  "agentgateway-max_tokens.json": [18, 46],
  "agentgateway-reasoning.json": [18, 46],
  "agentgateway-reasoning_unsigned.json": [18, 46],
  // It says nothing of what it took, which is estimated.
  "agentgateway-tool.json": null,
};

function readWhole(body: Buffer): [input: number, output: number] | null {
  const translator = pickTranslator("messages", { dialect: "converse", conformant: false });
  const origin = { requestId: "req_1", createdAtSeconds: 1, upstreamModel: CLAUDE };
  const { usage } = translator.plain(body, requestOf("messages"), origin);
  return usage && [usage.inputTokens, usage.outputTokens];
}

describe.skipIf(recorded.length === 0)("a recorded answer of Converse", () => {
  test("has an expectation, whichever it is", () => {
    const answers = recorded.filter((name) => !/^made-refusals|\.exchange\./.test(name));

    expect(answers).toEqual([...Object.keys(STREAMS), ...Object.keys(WHOLES)].toSorted());
  });

  test.each(Object.entries(STREAMS))(
    "%s is relayed with its tokens, or fails, however it is cut",
    async (name, played) => {
      const bytes = readFileSync(join(folder, name));

      expect(await play(bytes)).toEqual(played);
      expect(await play(bytes, CLAUDE, 7)).toEqual(played);
    },
  );

  test.each(Object.entries(WHOLES))("%s is read with its tokens", (name, tokens) => {
    expect(readWhole(readFileSync(join(folder, name)))).toEqual(tokens);
  });

  test("of an address that nobody serves, told with success, is none", () => {
    const { response } = JSON.parse(readFileSync(join(folder, "unknown-operation.exchange.json"), "utf8")) as {
      response: { body: object };
    };

    expect(() => readWhole(Buffer.from(JSON.stringify(response.body)))).toThrow("not an answer of Converse");
  });

  test("of a model of OpenAI has the whole input where others have what is beside the cache", async () => {
    const bytes = readFileSync(join(folder, "made-gross-input-tokens.bin"));

    expect(await play(bytes, "openai.gpt-5.6-v1:0")).toEqual([12_401, 1]);
  });
});

test.each([
  ["us.anthropic.claude-opus-5", "us.anthropic.claude-opus-5"],
  ["anthropic.claude-sonnet-4-20250514-v1:0", "anthropic.claude-sonnet-4-20250514-v1%3A0"],
  [
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0",
    "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.amazon.nova-pro-v1%3A0",
  ],
  ["../../model/m?x#", "..%2F..%2Fmodel%2Fm%3Fx%23"],
])("a model called %s is one segment of the path and nothing else [UPS-2]", (model, segment) => {
  expect(converseConvention.path("whole", model)).toBe(`/model/${segment}/converse`);
  expect(converseConvention.path("streamed", model)).toBe(`/model/${segment}/converse-stream`);
  expect(() => converseConvention.path("whole", "..")).toThrow(UpstreamError);
});

test("the operation and the model stand in the path, and the key is a bearer's [UPS-2]", async () => {
  const amazon = await provider(answerOk);
  const { dispatch, task } = harness();
  await dispatch(task(route(amazon.url, { dialect: "converse", upstreamModel: "us.amazon.nova-pro-v1:0" })));

  expect(amazon.seen.map(({ url }) => url)).toEqual(["/v1/model/us.amazon.nova-pro-v1%3A0/converse"]);
  expect(amazon.seen[0]?.headers.authorization).toBe("Bearer sk-east-secret");
});

test("a stream that begins with an exception is asked of the next route [UPS-4]", async () => {
  const throttled = await provider((_request, response) => {
    const headers = { ":message-type": "exception", ":exception-type": "throttlingException" };
    response.writeHead(200, HEADERS).end(writeFrame(headers, Buffer.from('{"message":"Too many requests."}')));
  });
  const free = await provider(answerOk);
  const { dispatch, task, attempts } = harness();
  const routes = [route(throttled.url, { dialect: "converse" }), route(free.url, { provider: "west" })];
  const dispatched = await dispatch({ ...task(...routes), answerMode: "streamed" });

  expect(dispatched?.route.provider).toBe("west");
  expect(attempts[0]).toMatchObject({ status: 429, failure: "rate_limited" });
});

test("a stream that is cut between two frames has not ended, though it looks so", async () => {
  const frame = (name: string, data: string): Buffer =>
    writeFrame({ ":message-type": "event", ":event-type": name }, Buffer.from(data));
  const said = [frame("messageStart", '{"role":"assistant"}'), frame("messageStop", '{"stopReason":"end_turn"}')];
  const ending = async (frames: readonly Buffer[]): Promise<string> => {
    const { body } = await begin(Buffer.concat(frames));
    return new Promise((resolve) =>
      body.read({ chunk: () => undefined, end: () => resolve("ended"), fail: () => resolve("broken") }),
    );
  };

  expect(await ending(said)).toBe("broken");
  expect(await ending([...said, frame("metadata", '{"metrics":{"latencyMs":1}}')])).toBe("ended");
});

test("what is wrong with a request is told to its caller, even where the answer had begun", async () => {
  const events = [
    writeFrame({ ":message-type": "event", ":event-type": "messageStart" }, Buffer.from('{"role":"assistant"}')),
    writeFrame(
      { ":message-type": "exception", ":exception-type": "validationException" },
      Buffer.from('{"message":"Input is too long for requested model."}'),
    ),
  ];
  const { body } = await begin(Buffer.concat(events));
  const said = await readBeginning(body, { maxBytes: 10_000, timeoutMs: 1_000 });
  const exception = said.subarray(said.indexOf("event: exception"));

  expect(requestFault(exception, { provider: "amazon" })).toMatchObject({ code: "context_length_exceeded" });
  const other = Buffer.from(exception.toString().replace("Input is too long for requested model.", "No such member."));
  expect(requestFault(other, { provider: "amazon" })).toMatchObject({ code: "invalid_request" });
});
