import { expect, test } from "vitest";
import { reportedUsage } from "./reported-usage.ts";

test("usage of Converse is read by the name of its model, as it is charged", () => {
  const usage = { inputTokens: 120, outputTokens: 3, cacheReadInputTokens: 100 };
  const stream = `event: metadata\ndata: ${JSON.stringify({ usage })}\n\n`;
  const inputOf = (upstreamModel: string): number | undefined =>
    reportedUsage({ dialect: "converse", upstreamModel }, stream).usage?.inputTokens;

  expect([inputOf("openai.gpt-oss-120b-1:0"), inputOf("us.anthropic.claude-opus-5")]).toEqual([120, 220]);
});
