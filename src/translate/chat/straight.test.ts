import { expect, test } from "vitest";
import { NO_USAGE } from "../../core/money/usage.ts";
import { recordings } from "../../../tests/support/recordings.ts";
import { readChatUsage } from "../../wire/chat/chat-usage.ts";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { type AnswerStage, DROP, FAILED, PASS, TERMINAL } from "../answer-stage.ts";
import { chatNormalised } from "./normalised.ts";
import type { ChatQuirks } from "../../wire/chat/chat-quirks.ts";
import { chatUntouched } from "./untouched.ts";

const streams = recordings("chat").filter(({ name }) => name.endsWith(".chunks.txt"));

function request(extra: object = {}): GenerationRequest {
  const body = { model: "public-model", messages: [{ role: "user", content: "hi" }], stream: true, ...extra };
  return readChatRequest(parseBody(Buffer.from(JSON.stringify(body)), 64));
}

type Chunk = {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: {
    index: number;
    delta: { role?: string; content?: unknown; tool_calls?: object[] };
    finish_reason: string | null;
  }[];
  usage?: unknown;
};

/** Pushes events through a stage as the relay does and returns what a caller would see before the terminal event. */
function run(stage: AnswerStage, lines: readonly string[]): { text: string; verdicts: unknown[] } {
  const verdicts: unknown[] = [];
  let text = "";
  for (const line of [...lines, "[DONE]"]) {
    const event = Buffer.from(`data: ${line}\n\n`);
    const verdict = stage.event(event, 0, event.length);
    verdicts.push(verdict);
    if (verdict === PASS) text += event.toString();
    else if (Buffer.isBuffer(verdict)) text += verdict.toString();
  }
  text += stage.close()?.toString() ?? "";
  return { text, verdicts };
}

const chunksOf = (text: string): Chunk[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.replace(/^data: /, "")) as Chunk);

test.skipIf(streams.length === 0).each(streams)(
  "the recording $name, normalised, keeps the rules of chat streams [spec 6.1.3–6.1.7] [STR-27]",
  ({ lines }) => {
    const stage = chatNormalised.stage(request());
    const chunks = chunksOf(run(stage, lines).text);
    const seen = new Set<number>();
    const finished = new Set<number>();

    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        object: "chat.completion.chunk",
        id: chunks[0]?.id,
        created: chunks[0]?.created,
        model: "public-model",
      });
      expect(chunk.id).not.toBe("");
      expect(chunk.choices.length).toBeGreaterThan(0);
      for (const { index, delta, finish_reason: reason } of chunk.choices) {
        expect(Number.isInteger(index)).toBe(true);
        expect(finished.has(index)).toBe(false);
        if (!seen.has(index)) expect(delta).toEqual({ role: "assistant", content: "" });
        else expect(delta.content === undefined || typeof delta.content === "string").toBe(true);
        seen.add(index);
        if (reason !== null) finished.add(index);
      }
    }
    expect(seen.size).toBeGreaterThan(0);
    expect([...finished]).toEqual([...seen]);
    expect(stage.terminal()?.toString()).toBe("data: [DONE]\n\n");
  },
);

test.skipIf(streams.length === 0).each(streams)(
  "the usage metered from $name equals the usage recorded",
  ({ lines }) => {
    const recorded = lines
      .map((line) => JSON.parse(line) as { usage?: unknown; x_groq?: { usage?: unknown }; service_tier?: unknown })
      .map((chunk) => readChatUsage(chunk.usage ?? chunk.x_groq?.usage, chunk.service_tier))
      .findLast((usage) => usage !== null);
    expect(recorded).toBeDefined();
    for (const { stage: create } of [chatUntouched, chatNormalised]) {
      const stage = create(request());
      run(stage, lines);

      expect(stage.usage()).toEqual(recorded);
    }
  },
);

test.skipIf(streams.length === 0).each(streams)(
  "$name passes untouched but for the usage event nobody asked for [STR-26]",
  ({ lines }) => {
    const extra = lines.filter((line) => {
      const chunk = JSON.parse(line) as Chunk;
      return chunk.choices.length === 0 && Boolean(chunk.usage);
    });
    const kept = lines
      .filter((line) => !extra.includes(line))
      .map((line) => `data: ${line}\n\n`)
      .join("");

    expect(run(chatUntouched.stage(request()), lines).text).toBe(kept);
  },
);

test("a caller that asked for the usage event is given it [STR-25]", () => {
  const asked = request({ stream_options: { include_usage: true } });
  const usage = `{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`;

  const stage = chatUntouched.stage(asked);
  const unasked = chatUntouched.stage(request());

  const said = '{"choices":[{"index":0,"delta":{"content":"a"}}]}';
  expect(run(stage, [said, usage, "[DONE]"]).text).toBe(`data: ${said}\n\n`);
  expect(stage.terminal()?.toString()).toBe(`data: ${usage}\n\ndata: [DONE]\n\n`);
  expect(run(unasked, [said, usage, "[DONE]"]).text).toBe(`data: ${said}\n\n`);
  expect(unasked.terminal()?.toString()).toBe("data: [DONE]\n\n");
});

test("a usage that cannot be read is not shown beside content, and the one that is charged is shown at the end [MON-46]", () => {
  const asked = request({ stream_options: { include_usage: true } });
  const odd = `{"id":"a","choices":[{"index":0,"delta":{"content":"hi"}}],"usage":{"prompt_tokens":-1,"completion_tokens":"2"}}`;
  const stage = chatUntouched.stage(asked);
  const { text } = run(stage, [odd, "[DONE]"]);
  const charged = { ...NO_USAGE, inputTokens: 5, outputTokens: 1 };

  expect(text).toContain('"usage":null');
  expect(text).not.toContain("-1");
  expect(stage.terminal(charged)?.toString()).toMatch(
    /"choices":\[\].*"prompt_tokens":5,"completion_tokens":1,"total_tokens":6/,
  );
});

test("a usage that was not the last thing said stands where it was said", () => {
  const asked = request({ stream_options: { include_usage: true } });
  const usage = `{"id":"a","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`;
  const word = `{"id":"a","choices":[{"index":0,"delta":{"content":"late"}}]}`;

  expect(run(chatUntouched.stage(asked), [usage, word]).text).toBe(`data: ${usage}\n\ndata: ${word}\n\n`);
});

test("content that merely speaks of usage, errors or [DONE] is content", () => {
  const line = JSON.stringify({
    choices: [{ index: 0, delta: { content: `"usage":{ "error":{} data: [DONE]` }, finish_reason: null }],
  });

  expect(run(chatUntouched.stage(request()), [line]).text).toBe(`data: ${line}\n\n`);
});

test("an error event and broken JSON both count as the provider's failure", () => {
  for (const { stage } of [chatUntouched, chatNormalised]) {
    const event = Buffer.from(`data: {"error":{"message":"overloaded"}}\n\n`);
    expect(stage(request()).event(event, 0, event.length)).toBe(FAILED);
  }
  const broken = Buffer.from(`data: {"choices":[{"delta"\n\n`);
  expect(chatNormalised.stage(request()).event(broken, 0, broken.length)).toBe(FAILED);
});

test("the terminal event is kept back, not passed", () => {
  for (const { stage } of [chatUntouched, chatNormalised]) {
    const [said, done] = ['{"choices":[{"index":0,"delta":{"content":"a"}}]}', "[DONE]"].map((data) =>
      Buffer.from(`data: ${data}\n\n`),
    ) as [Buffer, Buffer];
    const { event } = stage(request());
    event(said, 0, said.length);

    expect(event(done, 0, done.length)).toBe(TERMINAL);
  }
});

test("a comment of the provider is not an event", () => {
  const comment = Buffer.from(": PROCESSING\n\n");

  expect(chatNormalised.stage(request()).event(comment, 0, comment.length)).toBe(DROP);
  expect(chatUntouched.stage(request()).event(comment, 0, comment.length)).toBe(PASS);
});

test("a stream that stops in the middle is not called whole", () => {
  const stage = chatNormalised.stage(request());
  const event = Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n`);
  stage.event(event, 0, event.length);

  expect(stage.close()).toBeNull();
  expect(stage.terminal()).toBeNull();
});

test("a provider that counts reasoning apart is still counted whole", () => {
  const usage = {
    prompt_tokens: 12,
    completion_tokens: 1,
    total_tokens: 303,
    completion_tokens_details: { reasoning_tokens: 290 },
  };

  expect(readChatUsage(usage)).toMatchObject({ inputTokens: 12, outputTokens: 291, reasoningTokens: 290 });
});

test.each([
  [{ prompt_tokens: 7, completion_tokens: 12, total_tokens: 402 }, 395, 383],
  [{ prompt_tokens: 7, completion_tokens: 0, total_tokens: 8 }, 1, 1],
  [{ prompt_tokens: 7, completion_tokens: 12, total_tokens: 19 }, 12, 0],
  [{ prompt_tokens: 7, completion_tokens: 12 }, 12, 0],
  [{ prompt_tokens: 7, completion_tokens: 12, total_tokens: 3 }, 12, 0],
  [{ prompt_tokens: 7, completion_tokens: 12, total_tokens: 1e12 }, 12, 0],
  [
    { prompt_tokens: 7, completion_tokens: 2, total_tokens: 19, completion_tokens_details: { reasoning_tokens: 10 } },
    12,
    10,
  ],
  [
    { prompt_tokens: 7, completion_tokens: 12, total_tokens: 19, completion_tokens_details: { reasoning_tokens: 10 } },
    12,
    10,
  ],
])("thoughts that Google counts in the total alone are billed: %j", (usage, outputTokens, reasoningTokens) => {
  for (const model of ["gemini-2.5-flash", "google/gemini-3-pro"])
    expect(readChatUsage(usage, undefined, model)).toMatchObject({ inputTokens: 7, outputTokens, reasoningTokens });
});

test("what others count in a total beside input and output is not known, and not billed", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 12, total_tokens: 402 };

  for (const model of [undefined, "gpt-5", "not-gemini-2.5"])
    expect(readChatUsage(usage, undefined, model)).toMatchObject({ outputTokens: 12, reasoningTokens: 0 });
});

test("cached tokens that Moonshot names beside the input, and not within its details, are cached tokens", () => {
  const usage = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50, cached_tokens: 10 };

  expect(readChatUsage(usage)).toMatchObject({ inputTokens: 20, cacheReadTokens: 10 });
  expect(readChatUsage({ ...usage, prompt_tokens_details: { cached_tokens: 4 } })).toMatchObject({
    cacheReadTokens: 4,
  });
});

test("usage that cannot be true is not used [MON-22]", () => {
  for (const tokens of [-1, 1.5, 1e18, "12", null]) {
    expect(readChatUsage({ prompt_tokens: 1, completion_tokens: tokens })).toBeNull();
  }
});

test("only what must differ is changed in the request", () => {
  const text = `{"model": "public-model", "messages":[{"role":"user","content":"hi"}], "seed": 12345678901234567890, "stream":true}`;
  const read = readChatRequest(parseBody(Buffer.from(text), 64));

  expect(chatUntouched.request(read, { upstreamModel: "provider/model", maxOutputTokens: null }).toString()).toBe(
    text.replace("public-model", "provider/model").slice(0, -1) + `,"stream_options":{"include_usage":true}}`,
  );
});

test("a limit that was paid for is told to the provider under the name the caller would use", () => {
  const told = { upstreamModel: "m", maxOutputTokens: 77 };
  const ask = (fields: object): string => {
    const body = { model: "m", messages: [{ role: "user", content: "hi" }], ...fields };
    return chatUntouched.request(readChatRequest(parseBody(Buffer.from(JSON.stringify(body)), 64)), told).toString();
  };

  expect(JSON.parse(ask({}))).toMatchObject({ max_tokens: 77 });
  expect(JSON.parse(ask({ max_completion_tokens: 99 }))).toMatchObject({ max_completion_tokens: 77 });
});

test.each([
  ["max_tokens", { max_completion_tokens: 99 }, null, { max_tokens: 99 }],
  ["max_tokens", { max_completion_tokens: 99 }, 77, { max_tokens: 77 }],
  ["max_completion_tokens", { max_tokens: 99 }, null, { max_completion_tokens: 99 }],
  ["max_completion_tokens", { max_tokens: 99, max_completion_tokens: 99 }, null, { max_completion_tokens: 99 }],
  ["max_tokens", {}, null, {}],
] as const)(
  "a provider that takes %s is told the limit once, under that name: %j, %j",
  (field, fields, paid, limits) => {
    const messages = [{ role: "user", content: "hi" }];
    const request = readChatRequest(parseBody(Buffer.from(JSON.stringify({ model: "m", messages, ...fields })), 64));
    const chat = { outputLimitField: field, streamOptions: "accepted", callIds: "any" } as const;
    const told = { upstreamModel: "m", maxOutputTokens: paid, quirks: { chat } };

    expect(JSON.parse(chatUntouched.request(request, told).toString())).toEqual({ model: "m", messages, ...limits });
  },
);

test("a provider with a name of its own for the limit, or that refuses to be asked for usage, is told so in its way", () => {
  const body = {
    model: "m",
    stream: true,
    messages: [{ role: "user", content: "hi" }],
    stream_options: { include_usage: true },
  };
  const ask = (chat: ChatQuirks): unknown => {
    const request = readChatRequest(parseBody(Buffer.from(JSON.stringify(body)), 64));
    return JSON.parse(
      chatUntouched.request(request, { upstreamModel: "m", maxOutputTokens: 77, quirks: { chat } }).toString(),
    );
  };

  expect(ask({ outputLimitField: "max_completion_tokens", streamOptions: "accepted", callIds: "any" })).toMatchObject({
    max_completion_tokens: 77,
    stream_options: { include_usage: true },
  });
  expect(ask({ outputLimitField: "max_tokens", streamOptions: "refused", callIds: "any" })).not.toHaveProperty(
    "stream_options",
  );
});

test("labels of an answer that was to be stored go with the storing: providers refuse them alone", () => {
  const sent = (extra: object): object => {
    const bytes = chatUntouched.request(request(extra), { upstreamModel: "m", maxOutputTokens: null });
    return JSON.parse(bytes.toString()) as object;
  };

  expect(sent({ store: true, metadata: { team: "a" } })).toMatchObject({ store: false });
  expect(sent({ store: true, metadata: { team: "a" } })).not.toHaveProperty("metadata");
  expect(sent({ store: false, metadata: { team: "a" } })).toMatchObject({ metadata: { team: "a" } });
  expect(sent({ metadata: { team: "a" } })).toMatchObject({ metadata: { team: "a" } });
});
