import { expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";

type Json = Record<string, unknown>;
const likely = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
const entry = (token: string) => ({ ...likely(token, -0.1), top_logprobs: [likely(token, -0.1), likely("Ja", -3)] });
const TOKENS = [entry("Yes"), entry(".")];

const CHAT_EVENTS: Json[] = [
  { choices: [{ index: 0, delta: { content: "Yes" }, logprobs: { content: [TOKENS[0]], refusal: null } }] },
  { choices: [{ index: 0, delta: { content: "." }, logprobs: { content: [TOKENS[1]], refusal: null } }] },
  // Half a character: there is a token, and no text yet.
  { choices: [{ index: 0, delta: { content: "" }, logprobs: { content: [entry("é")], refusal: null } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];
const PART = { type: "output_text", text: "Yes.", annotations: [], logprobs: TOKENS };
const RESPONSE = {
  object: "response",
  status: "completed",
  output: [{ id: "m", type: "message", role: "assistant", content: [PART] }],
};

test("log probabilities are asked of a responses provider in its own terms, and of a chat provider in its", () => {
  const chat = { logprobs: true, top_logprobs: 2 };
  const responses = { include: ["message.output_text.logprobs"], top_logprobs: 2 };

  expect(cross("chat", "responses").sent(chat)).toMatchObject(responses);
  expect(cross("chat", "responses").sent({ ...chat, reasoning_effort: "low" })["include"]).toHaveLength(2);
  expect(cross("responses", "chat").sent(responses)).toMatchObject(chat);
  expect(cross("chat", "responses").sent({})).not.toHaveProperty("include");
  expect(cross("chat", "messages").sent(chat)).not.toHaveProperty("top_logprobs");
});

test("a chat provider's log probabilities reach a responses caller, plain and streamed", () => {
  const { whole, events } = cross("responses", "chat");
  const choice = { index: 0, message: { content: "Yes." }, logprobs: { content: TOKENS }, finish_reason: "stop" };
  const streamed = events(...CHAT_EVENTS) ?? [];
  const growth = streamed.filter(({ type }) => type === "response.output_text.delta");

  expect(whole({ choices: [choice] })["output"]).toMatchObject([{ content: [PART] }]);
  expect(growth.map(({ delta, logprobs }) => [delta, logprobs])).toEqual([
    ["Yes", [TOKENS[0]]],
    [".", [TOKENS[1]]],
    ["", [entry("é")]],
  ]);
  expect(streamed.find(({ type }) => type === "response.output_text.done")).toMatchObject({
    logprobs: [...TOKENS, entry("é")],
  });
});

test("a responses provider's log probabilities reach a chat caller, plain and streamed", () => {
  const { whole, events } = cross("chat", "responses");
  const at = { output_index: 0, content_index: 0 };
  const bare = TOKENS.map(({ token, logprob, top_logprobs: top }) => ({
    token,
    logprob,
    top_logprobs: top.map(({ token: other, logprob: its }) => ({ token: other, logprob: its })),
  }));
  const streamed = events(
    { type: "response.created", response: {} },
    { type: "response.output_text.delta", ...at, delta: "Yes", logprobs: [bare[0]] },
    { type: "response.output_text.delta", ...at, delta: ".", logprobs: [bare[1]] },
    { type: "response.completed", response: RESPONSE },
  );
  const told = (streamed ?? []).flatMap(({ choices }) => choices as { delta: Json; logprobs: Json | null }[]);

  expect(whole(RESPONSE)["choices"]).toMatchObject([{ logprobs: { content: TOKENS, refusal: null } }]);
  expect(told.flatMap(({ logprobs }) => (logprobs === null ? [] : (logprobs["content"] as unknown[])))).toEqual(TOKENS);
});

test("a messages caller, who cannot ask for them, is not troubled with them", () => {
  const streamed = cross("messages", "chat").events(...CHAT_EVENTS) ?? [];

  expect(JSON.stringify(streamed)).not.toContain("logprob");
  expect(streamed.filter(({ type }) => type === "content_block_delta").map(({ delta }) => delta)).toEqual([
    { type: "text_delta", text: "Yes" },
    { type: "text_delta", text: "." },
  ]);
});

test.each(["responses", "messages"] as const)(
  "hundreds of thousands in one piece are taken like one (%s)",
  (client) => {
    const content = Array.from({ length: 300_000 }, () => ({ token: "a", logprob: 0 }));
    const choice = { index: 0, message: { content: "a" }, logprobs: { content }, finish_reason: "stop" };
    const delta = { content: "a", reasoning_details: Array.from({ length: 300_000 }, () => ({})) };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

    expect(() => cross(client, "chat").whole({ choices: [choice] })).not.toThrow();
    expect(cross(client, "chat").events({ choices: [{ index: 0, delta }] }, end)).not.toBeNull();
  },
);
