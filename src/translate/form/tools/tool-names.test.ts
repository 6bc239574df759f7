import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cross } from "../../../../tests/support/cross.ts";
import { lossesOf } from "../../fidelity/losses.ts";
import { createFunctionNames } from "./tool-names.ts";
import { processorMs } from "../../../../tests/support/processor-time.ts";

type Json = Record<string, unknown>;

const LONG = `mcp__${"a-server-of-some-length".repeat(3)}__create_pull_request`;
const DOTTED = "files.read/all";
const USABLE = /^[\w-]{1,64}$/;
const MADE = createFunctionNames([LONG, DOTTED]);

/** Names that meet each other often: long ones with one beginning, made ones, ones with characters that are replaced. */
const anyName = fc.oneof(
  fc.constantFrom("a", "a.b", "a_b", "a b", LONG, `${LONG}2`, MADE.nameOf(LONG), MADE.nameOf(DOTTED), DOTTED),
  fc.string({ minLength: 1, maxLength: 128 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
);

test("no two tools of a request have one name, every name is usable, and every name leads back to its tool", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { maxLength: 12 }), fc.array(anyName), (offered, called) => {
      const names = createFunctionNames(offered);
      const all = [...new Set([...offered, ...called])];
      const made = all.map((name) => names.nameOf(name));

      expect(new Set(made).size).toBe(all.length);
      for (const name of made) expect(name).toMatch(USABLE);
      expect(made.map((name) => names.calledBy(name))).toEqual(all);
    }),
  );
});

test("a name that every provider takes stays, whatever the others are called", () => {
  const { nameOf } = createFunctionNames([LONG, MADE.nameOf(LONG)]);

  expect(nameOf(MADE.nameOf(LONG))).toBe(MADE.nameOf(LONG));
  expect(nameOf(LONG)).toMatch(USABLE);
  expect(nameOf(LONG)).not.toBe(MADE.nameOf(LONG));
});

test("a name is made of the tool alone, so that providers find what they have cached of it", () => {
  expect(MADE.nameOf("weather-by_city")).toBe("weather-by_city");
  expect(MADE.nameOf(DOTTED)).toBe("files_read_all_f05b502e");
  expect(createFunctionNames(["x", DOTTED, "y"]).nameOf(DOTTED)).toBe(MADE.nameOf(DOTTED));
  expect(MADE.nameOf(LONG)).toBe("mcp__a-server-of-some-lengtha-server-of-some-lengtha-se_9637a764");
});

test("a tool without a name stays without, and is the provider's to refuse", () => {
  expect(createFunctionNames([""]).nameOf("")).toBe("");
});

test("a name as long as a body, of characters that no provider takes, costs no more than one of letters", () => {
  const msFor = (character: string): number => {
    const name = character.repeat(10_000_000);
    return processorMs(() => createFunctionNames([]).nameOf(name));
  };
  const letters = Math.max(msFor("a"), msFor("a"));

  expect(Math.min(msFor("."), msFor("."))).toBeLessThan(4 * letters);
});

type Client = "messages" | "chat";
const TOOLS: Record<Client, (name: string) => Json> = {
  messages: (name) => ({ name, input_schema: {} }),
  chat: (name) => ({ type: "function", function: { name, parameters: {} } }),
};
const CHOICES: Record<Client, Json> = {
  messages: { type: "tool", name: LONG },
  chat: { type: "function", function: { name: LONG } },
};
const HISTORY: Record<Client, Json[]> = {
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: LONG, input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "done" }] },
  ],
  chat: [
    { role: "user", content: "hi" },
    { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: LONG, arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c1", content: "done" },
  ],
};

/** Answers of a provider that calls a tool. */
const WHOLE: Record<string, (name: string) => Json> = {
  chat: (name) => ({
    choices: [{ message: { tool_calls: [{ id: "c1", function: { name, arguments: "{}" } }] }, finish_reason: "stop" }],
  }),
  responses: (name) => ({
    object: "response",
    status: "completed",
    output: [{ type: "function_call", call_id: "c1", name, arguments: "{}" }],
  }),
  messages: (name) => ({
    type: "message",
    content: [{ type: "tool_use", id: "c1", name, input: {} }],
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
};
const STREAMED: Record<string, (name: string) => Json[]> = {
  chat: (name) => [
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "c1", function: { name, arguments: "{}" } }] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ],
  responses: (name) => {
    const item = { type: "function_call", id: "fc1", call_id: "c1", name, arguments: "{}" };
    return [
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { object: "response", status: "completed", output: [item] } },
    ];
  },
  messages: (name) => [
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c1", name, input: {} } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ],
};

/** The names of tools as a provider of any format is told them. */
const namesIn = (tools: unknown): string[] =>
  (tools as { name?: string; function?: { name: string } }[]).map((tool) => tool.function?.name ?? tool.name ?? "");

/** The name of the one call in an answer to a caller of either format. */
function calledIn(answer: Json): unknown {
  const { content, choices } = answer as {
    content?: { name?: string }[];
    choices?: { message: { tool_calls: { function: { name: string } }[] } }[];
  };
  return content?.[0]?.name ?? choices?.[0]?.message.tool_calls[0]?.function.name;
}

describe.each([
  { client: "messages", provider: "chat" },
  { client: "messages", provider: "responses" },
  { client: "chat", provider: "responses" },
  { client: "chat", provider: "messages" },
] as const)("a $client caller of a $provider provider", ({ client, provider }) => {
  const tools = [LONG, DOTTED, "plain"].map(TOOLS[client]);
  const body = { tools, tool_choice: CHOICES[client], messages: HISTORY[client] };

  test("names tools as it likes, in offers, choices and calls of before", () => {
    const text = JSON.stringify(cross(client, provider).sent(body));

    expect(text.split(JSON.stringify(MADE.nameOf(LONG)))).toHaveLength(4);
    expect(text).toContain(JSON.stringify(MADE.nameOf(DOTTED)));
    expect(text).toContain('"plain"');
    expect(text).not.toContain(LONG);
    expect(text).not.toContain(DOTTED);
    expect(lossesOf(client, provider, body)).toEqual({ dropped: [], refused: null });
  });

  test.each([LONG, DOTTED, "plain"])("is given its own name back, plain and streamed: %s", (name) => {
    const { whole, events } = cross(client, provider, body);
    const called = MADE.nameOf(name);

    for (const answer of [whole(WHOLE[provider]?.(called) ?? {}), events(...(STREAMED[provider]?.(called) ?? []))]) {
      expect(JSON.stringify(answer)).toContain(JSON.stringify(name));
      if (called !== name) expect(JSON.stringify(answer)).not.toContain(called);
    }
  });

  test("is given every name back that it offered, whatever it is", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { minLength: 1, maxLength: 6 }), (offered) => {
        const { sent, whole } = cross(client, provider, { tools: offered.map(TOOLS[client]) });
        const told = namesIn(sent({})["tools"]);

        expect(new Set(told).size).toBe(offered.length);
        for (const name of told) expect(name).toMatch(USABLE);
        expect(told.map((name) => calledIn(whole(WHOLE[provider]?.(name) ?? {})))).toEqual(offered);
      }),
    );
  });

  test("is given the name that a model has read elsewhere, or made up, as it is", () => {
    const { whole } = cross(client, provider, body);

    expect(JSON.stringify(whole(WHOLE[provider]?.(LONG) ?? {}))).toContain(JSON.stringify(LONG));
    expect(JSON.stringify(whole(WHOLE[provider]?.("none_0123abcd") ?? {}))).toContain('"none_0123abcd"');
  });

  test("is refused a name so long that every call of an answer would grow by it", () => {
    const refusedAt = (length: number): string | undefined =>
      lossesOf(client, provider, { ...body, tools: [TOOLS[client]("n".repeat(length))] }).refused?.at;

    expect(refusedAt(128)).toBeUndefined();
    expect(refusedAt(129)).toBe(client === "chat" ? "tools.0.function.name" : "tools.0.name");
  });
});

test("tools that may be called are found by the names their caller has for them", () => {
  const allowed = { mode: "required", tools: [TOOLS.chat(LONG)] };
  const sent = cross("chat", "messages").sent({
    tools: [LONG, DOTTED].map(TOOLS.chat),
    tool_choice: { type: "allowed_tools", allowed_tools: allowed },
  });

  expect(sent["tools"]).toMatchObject([{ name: MADE.nameOf(LONG) }]);
});

test("what a search has found is told under the name it is then offered by", () => {
  const found = [{ type: "tool_reference", tool_name: LONG }];
  const sent = cross("messages", "chat").sent({
    tools: [
      { name: "search", input_schema: {} },
      { ...TOOLS.messages(LONG), defer_loading: true },
    ],
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "search", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: found }] },
    ],
  });

  expect(JSON.stringify(sent["messages"])).toContain(`Tool available: ${MADE.nameOf(LONG)}`);
  expect(JSON.stringify(sent["tools"])).toContain(MADE.nameOf(LONG));
});
