import { z } from "zod";

/**
 * Answers are a provider's bytes and pass through unread but for their usage, so these schemas validate nothing on the way:
 * they are what the description promises, and the contract tests hold live answers against them.
 */
const anyObject = z.looseObject({});
const count = z.int().min(0);

/** [spec 2.5] */
export const chatCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.string(),
  created: z.int().optional(),
  model: z.string(),
  choices: z.array(anyObject),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
});

/** Of an OpenAI-compatible server; no other fields. [interface decision 48] */
export const embeddingListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.looseObject({
      object: z.literal("embedding"),
      index: count,
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.strictObject({ prompt_tokens: count, total_tokens: count }),
});

/** One event of a chat stream. [spec 6.1] */
export const chatChunkSchema = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: count,
      delta: z.looseObject({ role: z.string().optional(), content: z.string().nullable().optional() }),
      finish_reason: z.string().nullable(),
    }),
  ),
});

/** [spec 2.7] */
export const responsesResultSchema = z.looseObject({
  id: z.string(),
  object: z.string(),
  model: z.string().optional(),
  output: z.array(anyObject).optional(),
  usage: anyObject.optional(),
});

/** [spec 2.10] */
export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(anyObject),
  stop_reason: z.string().nullable().optional(),
  stop_sequence: z.string().nullable().optional(),
  usage: z.looseObject({ input_tokens: count, output_tokens: count }).optional(),
});

/** Nothing but the count. [spec 2.11] */
export const tokenCountSchema = z.strictObject({ input_tokens: count });

/** [spec 7.1] */
export const formatAErrorSchema = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    type: z.string(),
    code: z.string(),
    param: z.string().nullable().optional(),
    request_id: z.string().optional(),
  }),
});

/** [spec 7.1] */
export const formatBErrorSchema = z.looseObject({
  type: z.literal("error"),
  error: z.looseObject({
    type: z.string(),
    message: z.string(),
    code: z.string().optional(),
    details: z.looseObject({ error_code: z.string() }).optional(),
    request_id: z.string().optional(),
  }),
  request_id: z.string().optional(),
});
