import { expect, test } from "vitest";
import { requestOf } from "../../../../tests/translation/request-of.ts";
import type { Model } from "../../../catalogue/model.ts";
import type { ClientDialect, ProviderDialect } from "../../../core/request/dialect.ts";
import { leaveToThink, thinksUnseen } from "./thinks-unseen.ts";

const HI = { messages: [{ role: "user", content: "hi" }] };
const BODIES: Record<ClientDialect, object> = {
  chat: HI,
  responses: { input: "hi" },
  messages: { ...HI, max_tokens: 9 },
};
const leave = (client: ClientDialect, provider: ProviderDialect, more: object = {}, upstreamModel = "m") =>
  leaveToThink(requestOf(client, { ...BODIES[client], ...more }), { dialect: provider, upstreamModel });

test("a model thinks unless it is told not to; in messages only if it is told to, whoever asks [CAN-16]", () => {
  expect(leave("chat", "chat")).toBe("told");
  expect(leave("messages", "responses")).toBe("told");
  expect(leave("messages", "messages")).toBe("untold");
  expect(leave("messages", "messages", { thinking: { type: "adaptive" } })).toBe("told");
  expect(leave("chat", "messages")).toBe("untold");
  expect(leave("chat", "messages", { reasoning_effort: "low" })).toBe("told");
  expect(leave("responses", "messages", { reasoning: { effort: "low" } })).toBe("told");
  expect(leave("chat", "messages", {}, "claude-opus-5")).toBe("told");
});

test("in Converse it depends on who has made the model [CAN-16]", () => {
  const [claude, newest] = ["us.anthropic.claude-sonnet-4-6", "us.anthropic.claude-opus-5"];

  expect(leave("chat", "converse", {}, claude)).toBe("untold");
  expect(leave("chat", "converse", { reasoning_effort: "low" }, claude)).toBe("told");
  expect(leave("chat", "converse", { reasoning_effort: "none" }, claude)).toBe("forbidden");
  expect(leave("chat", "converse", { reasoning_effort: "none" }, newest)).toBe("told");
  expect(leave("chat", "converse", { reasoning_effort: "none" }, "openai.gpt-oss-120b-1:0")).toBe("told");
  expect(leave("chat", "converse", {}, "us.deepseek.r1-v1:0")).toBe("told");
});

test("who turns reasoning off in words that the provider does not hear has not turned it off [CAN-16]", () => {
  expect(leave("chat", "chat", { reasoning_effort: "none" })).toBe("forbidden");
  expect(leave("chat", "chat", { thinking: { type: "disabled" } })).toBe("forbidden");
  expect(leave("chat", "responses", { reasoning_effort: "none" })).toBe("forbidden");
  expect(leave("chat", "responses", { thinking: { type: "disabled" } })).toBe("told");
  expect(leave("chat", "gemini", { reasoning: { enabled: false } })).toBe("told");
  expect(leave("responses", "gemini", { reasoning: { effort: "none" } })).toBe("forbidden");
  expect(leave("messages", "chat", { thinking: { type: "disabled" } })).toBe("forbidden");
  // Such a model is asked for little thought, and cannot be asked for none.
  expect(leave("chat", "messages", { reasoning_effort: "none" }, "claude-opus-5")).toBe("told");
  expect(leave("messages", "messages", { thinking: { type: "disabled" } }, "claude-opus-5")).toBe("forbidden");
});

test("silence is work where the operator says so, or the provider has said so of such a request [CAN-16]", () => {
  const model = (capabilities: Model["capabilities"]) => ({ capabilities }) as Model;
  const never = { thinks: { told: false, untold: false, forbidden: false } };
  const reported = (as: "told" | "untold" | "forbidden") => ({ thinks: { ...never.thinks, [as]: true } });

  expect(thinksUnseen(model({}), "told", never)).toBe(false);
  expect(thinksUnseen(model({ reasoning: true }), "told", never)).toBe(true);
  expect(thinksUnseen(model({ reasoning: true }), "untold", never)).toBe(false);
  expect(thinksUnseen(model({ reasoning: true }), "forbidden", never)).toBe(false);
  for (const as of ["told", "untold", "forbidden"] as const) {
    expect(thinksUnseen(model({}), as, reported(as))).toBe(true);
    expect(thinksUnseen(model({ reasoning: false }), as, reported(as))).toBe(false);
  }
});
