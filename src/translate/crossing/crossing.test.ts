import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { recordings } from "../../../tests/support/recordings.ts";
import type { ClientDialect } from "../../core/dialect.ts";
import type { Usage } from "../../core/usage.ts";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { EventSplitter } from "../../wire/sse/event-splitter.ts";
import { type AnswerStage, DROP, FAILED, PASS, TERMINAL } from "../answer-stage.ts";
import { canTranslate, pickTranslator } from "../pick-translator.ts";

const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const ORIGIN = { requestId: "req_00ff", createdAtSeconds: 1_700_000_000 };
/** A recorded failure, a broken one, and two answers run together. */
const BROKEN = /^(openai-error|parallel-tool-call-wrapper|spliced-message-start)/;

/**
 * Recordings that say less in their events than in their end, or an event no client knows, or two calls under one index: in its
 * own format their official client has nothing, or something else, to compare with.
 */
const INCOMPARABLE = /^(openai-phase|openai-shell-container\.|openai-apply-patch-tool\.|cererebras-structured)/;

const pairs = DIALECTS.flatMap((provider) =>
  DIALECTS.filter((client) => client !== provider && canTranslate(client, provider)).flatMap((client) =>
    recordings(provider)
      .filter(({ lines, name }) => lines.length > 0 && !BROKEN.test(name))
      .map((file) => ({ ...file, client, provider, title: `${file.name} of ${provider} for ${client}` })),
  ),
);

function requestOf(client: ClientDialect): GenerationRequest {
  const said = { model: "public", stream: true };
  const parse = (body: object) => parseBody(Buffer.from(JSON.stringify({ ...said, ...body })), 64);
  const messages = [{ role: "user", content: "hi" }];
  if (client === "responses") return readResponsesRequest(parse({ input: "hi" }));
  if (client === "messages") return readMessagesRequest(parse({ messages }), {});
  return readChatRequest(parse({ messages, stream_options: { include_usage: true } }));
}

/** The bytes a provider of this dialect would have sent for these data. */
function framed(provider: ClientDialect, lines: readonly string[]): Buffer {
  const events = lines.map((data) =>
    provider === "chat"
      ? `data: ${data}\n\n`
      : `event: ${(JSON.parse(data) as { type: string }).type}\ndata: ${data}\n\n`,
  );
  return Buffer.from(events.join("") + (provider === "chat" ? "data: [DONE]\n\n" : ""));
}

/** Pushes a provider's bytes through a stage as the relay does, cut at any places. */
function relay(stage: AnswerStage, bytes: Buffer, cut: number = bytes.length): { text: string; whole: boolean } {
  let text = "";
  let over: "whole" | "failed" | null = null;
  const splitter = new EventSplitter((buffer, start, end) => {
    if (over !== null) return;
    const verdict = stage.event(buffer, start, end);
    if (verdict === TERMINAL) over = "whole";
    else if (verdict === FAILED) over = "failed";
    else if (verdict !== DROP && verdict !== PASS) text += verdict.toString();
  }, 10_000_000);
  for (let at = 0; at < bytes.length; at += cut) splitter.push(bytes.subarray(at, at + cut));
  if (over === "failed") return { text, whole: false };
  text += stage.close()?.toString() ?? "";
  const terminal = stage.terminal();
  return { text: text + String(terminal ?? ""), whole: terminal !== null };
}

/** The official client of a dialect, given bytes in place of a network. */
async function readWithSdk(client: ClientDialect, bytes: string): Promise<unknown> {
  const fetch = async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } });
  const model = "public";
  const messages = [{ role: "user" as const, content: "hi" }];
  if (client === "messages") {
    return new Anthropic({ apiKey: "x", fetch }).messages.stream({ model, max_tokens: 9, messages }).finalMessage();
  }
  const openai = new OpenAI({ apiKey: "x", fetch });
  if (client === "responses") return openai.responses.stream({ model, input: "hi" }).finalResponse();
  return openai.chat.completions.stream({ model, messages }).finalChatCompletion();
}

/** What an official client has understood: the text, and the calls with their arguments. */
function understood(answer: unknown): { text: string; calls: unknown[] } {
  const { choices, output, content } = answer as {
    choices?: {
      message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] };
    }[];
    output?: { type: string; name: string; arguments: string; content?: { type: string; text?: string }[] }[];
    content?: { type: string; text?: string; name?: string; input?: unknown }[];
  };
  const call = (name: string | undefined, input: unknown): unknown => ({ name, input });
  const parsed = (text: string): unknown => JSON.parse(text === "" ? "{}" : text);
  if (choices !== undefined) {
    const calls = choices[0]?.message.tool_calls ?? [];
    return {
      text: choices[0]?.message.content ?? "",
      calls: calls.map((made) => call(made.function.name, parsed(made.function.arguments))),
    };
  }
  if (output !== undefined) {
    const parts = output.flatMap((item) => (item.type === "message" ? (item.content ?? []) : []));
    const calls = output.filter(({ type }) => type === "function_call");
    return {
      text: parts.map((part) => (part.type === "output_text" ? (part.text ?? "") : "")).join(""),
      calls: calls.map((made) => call(made.name, parsed(made.arguments))),
    };
  }
  return {
    text: (content ?? []).map((block) => (block.type === "text" ? (block.text ?? "") : "")).join(""),
    calls: (content ?? []).flatMap((block) => (block.type === "tool_use" ? [call(block.name, block.input)] : [])),
  };
}

const meteredBy = (stage: AnswerStage, bytes: Buffer): Usage | null => {
  relay(stage, bytes);
  return stage.usage();
};

/** Refusals, and an answer whose content is parts, which its own format does not know. */
const NO_ANSWERS = /^(openai-error|reasoning-model|mistral-reasoning)/;
const wholes = DIALECTS.flatMap((provider) =>
  DIALECTS.filter((client) => client !== provider).flatMap((client) =>
    recordings(provider)
      .filter(({ name }) => name.endsWith(".json") && !NO_ANSWERS.test(name))
      .map((file) => ({ ...file, client, provider, title: `${file.name} of ${provider} for ${client}` })),
  ),
);

test.skipIf(wholes.length === 0).each(wholes)(
  "the whole answer $title says the same as in its own format, and is metered the same",
  ({ client, provider, path }) => {
    const bytes = readFileSync(path);
    const read = (dialect: ClientDialect) =>
      pickTranslator(dialect, { dialect: provider, conformant: true }).plain(bytes, requestOf(dialect), ORIGIN);
    const crossed = read(client);

    expect(crossed.usage).toEqual(read(provider).usage);
    expect(understood(JSON.parse(crossed.bytes.toString()))).toEqual(understood(JSON.parse(bytes.toString())));
  },
);

describe.skipIf(pairs.length === 0)("a recorded stream in another format", () => {
  test.each(pairs.filter(({ name }) => !INCOMPARABLE.test(name)))(
    "$title says the same to that format's official client as in its own, and is metered the same",
    async (pair) => {
      const { client, provider, lines } = pair;
      const bytes = framed(provider, lines);
      const stage = pickTranslator(client, { dialect: provider, conformant: true }).stage(requestOf(client), ORIGIN);
      const { text, whole } = relay(stage, bytes);
      const own = pickTranslator(provider, { dialect: provider, conformant: false });
      const native = relay(own.stage(requestOf(provider), ORIGIN), bytes);

      expect(whole).toBe(true);
      expect(stage.usage()).toEqual(meteredBy(own.stage(requestOf(provider), ORIGIN), bytes));
      expect(understood(await readWithSdk(client, text))).toEqual(understood(await readWithSdk(provider, native.text)));
    },
  );

  test.each(pairs)("$title is accepted by the official client", async ({ client, provider, lines }) => {
    const stage = pickTranslator(client, { dialect: provider, conformant: true }).stage(requestOf(client), ORIGIN);

    await expect(readWithSdk(client, relay(stage, framed(provider, lines)).text)).resolves.toBeDefined();
  });

  test.each(pairs)("$title comes out the same however its bytes are cut", ({ client, provider, lines }) => {
    const bytes = framed(provider, lines).subarray(0, 20_000);
    const cross = (cut: number): unknown =>
      relay(
        pickTranslator(client, { dialect: provider, conformant: true }).stage(requestOf(client), ORIGIN),
        bytes,
        cut,
      );

    expect(cross(7)).toEqual(cross(bytes.length));
  });
});
