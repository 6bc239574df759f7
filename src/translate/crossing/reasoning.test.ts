import { describe, expect, test } from "vitest";
import { cross } from "../../../tests/support/cross.ts";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { lossesOf } from "../fidelity/losses.ts";
import { openSeal, seal } from "../../../tests/support/seals.ts";

type Json = Record<string, unknown>;

const PAIRS = [
  { client: "messages", provider: "chat" },
  { client: "messages", provider: "responses" },
  { client: "chat", provider: "messages" },
  { client: "chat", provider: "responses" },
  { client: "responses", provider: "chat" },
  { client: "responses", provider: "messages" },
] as const;

/** What each format has to say of thinking, and what that is called where it is lost. */
const ASKING: Record<ClientDialect, { body: Json; path: string }[]> = {
  messages: [
    { body: { thinking: { type: "enabled", budget_tokens: 2_000 } }, path: "thinking" },
    { body: { thinking: { type: "adaptive" }, output_config: { effort: "low" } }, path: "thinking" },
    { body: { output_config: { effort: "high" } }, path: "output_config.effort" },
  ],
  chat: [{ body: { reasoning_effort: "high" }, path: "reasoning_effort" }],
  responses: [
    { body: { reasoning: { effort: "high" } }, path: "reasoning" },
    { body: { reasoning: { effort: "low", summary: "auto" } }, path: "reasoning" },
  ],
};

/** What asks for no thinking, or for nothing. */
const SILENT: Record<ClientDialect, Json[]> = {
  messages: [{}, { thinking: { type: "disabled" } }, { output_config: {} }],
  chat: [{}, { reasoning_effort: "none" }, { reasoning_effort: null }],
  responses: [{}, { reasoning: { effort: "none" } }, { reasoning: {} }, { reasoning: { effort: null, summary: null } }],
};

/** A turn that was thought about, by a provider of this format. */
const thoughtful = (provider: ClientDialect): Record<ClientDialect, { body: Json; path: string }> => {
  const sealed = seal({
    dialect: provider,
    value: { signature: "s", encrypted_content: "e", field: "reasoning" },
  });
  const before = { role: "user", content: "hi" };
  const after = { role: "user", content: "go on" };
  return {
    messages: {
      body: {
        messages: [
          before,
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "a thought", signature: sealed },
              { type: "text", text: "said" },
            ],
          },
          after,
        ],
      },
      path: "messages.*.content.*.signature",
    },
    chat: {
      body: {
        messages: [
          before,
          {
            role: "assistant",
            content: "said",
            reasoning_details: [{ type: "reasoning.text", text: "a thought", signature: sealed }],
          },
          after,
        ],
      },
      path: "messages.*.reasoning_details.*",
    },
    responses: {
      body: {
        input: [
          before,
          { type: "reasoning", summary: [{ type: "summary_text", text: "a thought" }], encrypted_content: sealed },
          { role: "assistant", content: "said" },
          after,
        ],
      },
      path: "input.*.encrypted_content",
    },
  };
};

const TOLD_OF_THOUGHT = /reasoning|thinking|effort|a thought/;

describe.each(PAIRS)("a $client caller of a model without reasoning at a $provider provider", (pair) => {
  const { client, provider } = pair;
  const { sent } = cross(client, provider);
  const lost = (body: Json): string[] =>
    lossesOf(client, provider, body, { reasoning: false }).dropped.map(({ path }) => path);

  test.each(ASKING[client])("has $path left out, and is told so", ({ body, path }) => {
    expect(JSON.stringify(sent(body, { reasoning: false }))).not.toMatch(TOLD_OF_THOUGHT);
    expect(lost(body)).toContain(path);
    expect(JSON.stringify(sent(body, { reasoning: true }))).toMatch(TOLD_OF_THOUGHT);
    expect(JSON.stringify(sent(body))).toMatch(TOLD_OF_THOUGHT);
  });

  test.each(SILENT[client])("is told of no loss where it asked for none: %j", (body) => {
    expect(JSON.stringify(sent(body, { reasoning: false }))).not.toMatch(TOLD_OF_THOUGHT);
    expect(lost(body)).toEqual([]);
  });

  test("has thoughts of before left out, and what was said after them kept", () => {
    const { body, path } = thoughtful(provider)[client];

    const text = JSON.stringify(sent(body, { reasoning: false }));
    expect(text).not.toMatch(TOLD_OF_THOUGHT);
    expect(text).toContain("said");
    expect(lost(body)).toContain(path);
    expect(JSON.stringify(sent(body))).toContain("a thought");
    expect(lossesOf(client, provider, body, { reasoning: true, open: openSeal }).dropped).toEqual([]);
  });
});

test.each(["chat", "responses"] as const)("%s: sampling is kept at a messages model that does not think", (client) => {
  const body = { ...ASKING[client][0]?.body, temperature: 0.5 };
  const { sent } = cross(client, "messages");

  expect(sent(body)["temperature"]).toBeUndefined();
  expect(sent(body, { reasoning: false })["temperature"]).toBe(0.5);
  const lost = lossesOf(client, "messages", body, { reasoning: false }).dropped.map(({ path }) => path);
  expect(lost).not.toContain("temperature");
});

test("thinking as the model sees fit has no word at chat providers, and is said to be lost unless an effort tells of it", () => {
  const adaptive = { thinking: { type: "adaptive" } };
  const lost = (provider: "chat" | "responses", body: Json): string[] =>
    lossesOf("messages", provider, body).dropped.map(({ path }) => path);

  expect(JSON.stringify(cross("messages", "chat").sent(adaptive))).not.toMatch(TOLD_OF_THOUGHT);
  expect(lost("chat", adaptive)).toEqual(["thinking"]);
  expect(lost("chat", { ...adaptive, output_config: { effort: "low" } })).toEqual([]);
  expect(JSON.stringify(cross("messages", "responses").sent(adaptive))).toMatch(TOLD_OF_THOUGHT);
  expect(lost("responses", adaptive)).toEqual([]);
});

test.each(["chat", "responses"] as const)(
  "not to think is told to no model that reasons at a %s provider, which may refuse the word, and is said to be lost",
  (provider) => {
    const { sent } = cross("messages", provider);
    const disabled = { thinking: { type: "disabled" } };
    const lost = (body: Json): string[] => lossesOf("messages", provider, body).dropped.map(({ path }) => path);

    expect(JSON.stringify(sent(disabled))).not.toMatch(TOLD_OF_THOUGHT);
    expect(lost(disabled)).toEqual(["thinking"]);
    const withEffort = { ...disabled, output_config: { effort: "low" } };
    expect(JSON.stringify(sent(withEffort))).toContain('"low"');
    expect(lost(withEffort)).toEqual(["thinking"]);
  },
);

test("a summary alone asks for thought too", () => {
  const body = { reasoning: { summary: "auto" } };

  expect(cross("responses", "messages").sent(body)).toHaveProperty("thinking");
  expect(cross("responses", "messages").sent(body, { reasoning: false })).not.toHaveProperty("thinking");
  expect(lossesOf("responses", "messages", body, { reasoning: false }).dropped).toMatchObject([{ at: "reasoning" }]);
});

test.each([
  ["chat", { reasoning_effort: "boundless" }, "reasoning_effort"],
  ["responses", { reasoning: { effort: "boundless" } }, "reasoning.effort"],
] as const)("%s: an effort that nobody knows is lost alone, and sampling beside it is not", (client, asked, lost) => {
  const body = { ...asked, temperature: 0.5 };

  expect(cross(client, "messages").sent(body)).toMatchObject({ temperature: 0.5 });
  expect(lossesOf(client, "messages", body).dropped.map(({ path }) => path)).toEqual([lost]);
});

test("sampling is not said to be lost beside a request for reasoning that asks for nothing", () => {
  const body = { reasoning: { effort: null, summary: null }, temperature: 0.5, top_p: null };

  expect(cross("responses", "messages").sent(body)["temperature"]).toBe(0.5);
  expect(lossesOf("responses", "messages", body).dropped).toEqual([]);
});
