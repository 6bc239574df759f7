import { z } from "zod";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { instant } from "../wire/instant.ts";
import { renamed, sparse } from "../wire/codec.ts";

const counts = (says: string, example: Record<string, number>) =>
  z
    .record(z.string(), z.int())
    .describe(says)
    .meta({ examples: [example] });

const servedCharge = renamed(
  z
    .object({
      request_id: z.string(),
      admitted_at: instant.describe("When the request began."),
      at: instant.describe("When it was charged."),
      provider: z.string(),
      upstream_model: z
        .string()
        .nullable()
        .describe("What the provider calls the model; null: not recorded.")
        .meta({ examples: ["acme-large-2026"] }),
      credential: z.string().nullable().describe("The reference of the credential; null: not recorded."),
      tier: z
        .string()
        .describe("The tier that was served; `default`: what everybody is served.")
        .meta({ examples: ["default"] }),
      region: z
        .string()
        .describe("The region that served it; `any`: not told.")
        .meta({ examples: ["any"] }),
      kind: z
        .string()
        .describe("How the request ended.")
        .meta({ examples: ["completed"] }),
      estimated: z.boolean().describe("True if the counts are estimates of the gateway."),
      input_tokens: z.int().describe("All input."),
      cache_read_tokens: z
        .int()
        .describe("Share of the input that was read from a cache.")
        .meta({ examples: [2048] }),
      cache_write_tokens: z
        .int()
        .describe("Share of the input that was written to a cache.")
        .meta({ examples: [0] }),
      cache_write_1h_tokens: z
        .int()
        .describe("Share of these that is kept for an hour.")
        .meta({ examples: [0] }),
      output_tokens: z.int().describe("All output."),
      reasoning_tokens: z
        .int()
        .describe("Share of the output that is reasoning.")
        .meta({ examples: [64] }),
      parts: counts("Other shares of input and output, by the name of their price.", { input_audio: 120 }),
      tool_calls: counts("Calls of tools that the provider ran, by name.", { web_search: 2 }),
    })
    .meta({ id: "ServedCharge" }),
  {
    requestId: "request_id",
    admittedAtMs: "admitted_at",
    atMs: "at",
    upstreamModel: "upstream_model",
    inputTokens: "input_tokens",
    cacheReadTokens: "cache_read_tokens",
    cacheWriteTokens: "cache_write_tokens",
    cacheWrite1hTokens: "cache_write_1h_tokens",
    outputTokens: "output_tokens",
    reasoningTokens: "reasoning_tokens",
    toolCalls: "tool_calls",
  },
);

export const servedCharges = pageSchema(servedCharge);

/** Which day, and how much of it. */
export const chargesQuery = sparse(
  z.strictObject({
    ...pageQuery(100).in.shape,
    day: z.iso
      .date()
      .describe("The day in UTC.")
      .meta({ examples: ["2026-11-19"] }),
  }),
);
