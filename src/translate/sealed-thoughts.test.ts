import { expect, test } from "vitest";
import { cross } from "../../tests/support/cross.ts";
import { seal } from "../../tests/support/seals.ts";
import type { ClientDialect } from "../core/request/dialect.ts";
import { readChatRequest } from "../wire/chat/chat-request.ts";
import { parseBody } from "../wire/json/parse-body.ts";
import { readMessagesRequest } from "../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../wire/responses/responses-request.ts";
import { groupRoutes } from "./fidelity/group-routes.ts";
import { pickTranslator } from "./pick-translator.ts";

type Json = Record<string, unknown>;
const SEALED = seal({ dialect: "chat", value: { field: "reasoning" } });
const UNSIGNED = seal(null);
const ASKED = { role: "user", content: "hi" };

function requestOf(dialect: ClientDialect, text: string) {
  const parsed = parseBody(Buffer.from(text), 64);
  if (dialect === "responses") return readResponsesRequest(parsed);
  return dialect === "messages" ? readMessagesRequest(parsed, {}) : readChatRequest(parsed);
}

/** What a provider of the caller's own format is sent, and what the caller is told of it. */
function straight(dialect: ClientDialect, body: Json) {
  const text = JSON.stringify({ model: "m", ...body });
  const request = requestOf(dialect, text);
  const { request: write } = pickTranslator(dialect, { dialect, conformant: false });
  const sent = write(request, { upstreamModel: "m", maxOutputTokens: null }).toString();
  const { best } = groupRoutes(request, { routes: [{ dialect }], reasoning: true }, "declared");
  return { ...best, sent: JSON.parse(sent) as Json };
}

const USED = { type: "tool_use", id: "a", name: "f", input: {} };
const RESULT = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] };
const turn = (...content: Json[]): Json => ({ role: "assistant", content });
const thought = (signature: string): Json => ({ type: "thinking", thinking: "Hm.", signature });

test.each([SEALED, UNSIGNED, "tollgate.chat.forged"])(
  "a messages provider is not shown thinking that no provider like it has signed (%s)",
  (given) => {
    const own = thought("EpwB");
    const messages = [
      ASKED,
      turn(thought(given)),
      ASKED,
      turn(own, thought(given), { type: "redacted_thinking", data: given }, USED),
      RESULT,
    ];
    const { sent, fidelity } = straight("messages", { messages });

    expect(sent["messages"]).toEqual([ASKED, ASKED, turn(own, USED), RESULT]);
    expect(fidelity).toBe("exact; dropped=messages.*.content.*.signature,messages.*.content.*.data");
  },
);

test("results of calls whose thinking had to go are answered without thinking, where a budget for it would be refused", () => {
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const sent = (last: Json[], mode: Json = thinking) =>
    straight("messages", { messages: [ASKED, turn(thought(SEALED), USED), ...last], thinking: mode });

  expect(sent([RESULT])).toMatchObject({
    sent: expect.not.objectContaining({ thinking }) as Json,
    fidelity: "exact; dropped=messages.*.content.*.signature,thinking",
  });
  expect(sent([RESULT, turn({ type: "text", text: "Done." }), ASKED]).sent).toMatchObject({ thinking });
  expect(sent([RESULT], { type: "adaptive" }).sent).toMatchObject({ thinking: { type: "adaptive" } });
});

test("a responses provider is not given thoughts that another has not encrypted for it", () => {
  const foreign = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: SEALED };
  const own = { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAA" };
  const { sent, fidelity } = straight("responses", { input: [ASKED, foreign, own] });

  expect(sent["input"]).toEqual([ASKED, own]);
  expect(fidelity).toBe("exact; dropped=input.*.encrypted_content");
});

test("a chat provider is given the words of thinking without the proofs of another format", () => {
  const said = { role: "assistant", content: "Yes.", reasoning_content: "Hm." };
  const own = { type: "reasoning.text", text: "Hm.", signature: "own" };
  const foreign = { type: "reasoning.text", text: "Hm.", signature: SEALED };
  const { sent, fidelity } = straight("chat", {
    messages: [ASKED, { ...said, reasoning_details: [foreign] }, { ...said, reasoning_details: [own, foreign] }],
  });

  expect(sent["messages"]).toEqual([ASKED, said, { ...said, reasoning_details: [own] }]);
  expect(fidelity).toBe("exact; dropped=messages.*.reasoning_details.*");
});

test("a caller that asked for strict fidelity is told where the foreign thinking stands", () => {
  const bytes = Buffer.from(JSON.stringify({ messages: [ASKED, turn(USED, thought(SEALED))] }));

  const offer = { routes: [{ dialect: "messages" as const }], reasoning: true };

  expect(() => groupRoutes({ dialect: "messages", bytes }, offer, "strict")).toThrow(
    expect.objectContaining({ code: "invalid_request", param: "messages.1.content.1.signature" }),
  );
});

test("a body that only speaks of seals goes out byte for byte as it came, as does any other", () => {
  const odd = `{ "model":"m" ,"n":1.0, "messages": [ {"role":"user","content":"what is ${SEALED}?"} ] }`;
  const { request } = pickTranslator("chat", { dialect: "chat", conformant: true });

  expect(request(requestOf("chat", odd), { upstreamModel: "m", maxOutputTokens: null }).toString()).toBe(odd);
});

test("thinking that was cut off before it was signed is known for ours when it comes back", () => {
  const cut = { type: "message", content: [{ type: "thinking", thinking: "Hm" }], stop_reason: "max_tokens" };
  const { output } = cross("responses", "messages").whole(cut) as { output: Json[] };
  const { input } = straight("responses", { input: [ASKED, ...output] }).sent as { input: Json[] };

  expect(output).toMatchObject([{ type: "reasoning", encrypted_content: UNSIGNED }]);
  expect(input).toEqual([ASKED]);
});

test("no number of a conversation is rounded where thinking is left out of it", () => {
  const used = JSON.stringify(USED).replace("{}", `{"id":1234567890123456789}`);
  const text = `{"model":"m","messages":[{"role":"assistant","content":[${JSON.stringify(thought(SEALED))},${used}]}]}`;
  const { request: write } = pickTranslator("messages", { dialect: "messages", conformant: true });

  expect(write(requestOf("messages", text), { upstreamModel: "m", maxOutputTokens: null }).toString()).toContain(used);
});
