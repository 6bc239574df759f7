import { z } from "zod";

/** An element of the model list. [spec 2.1] */
export const listedModelSchema = z.looseObject({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
  display_name: z.string().optional(),
  tagline: z.string().optional(),
  provider: z.string().optional(),
  context_window: z.int().min(1).nullable().optional(),
  max_output_tokens: z.int().min(1).nullable().optional(),
  capabilities: z.record(z.string(), z.unknown()).optional(),
  pricing: z.record(z.string(), z.unknown()).optional(),
});

/** The model list; no other fields. [spec 2.2] */
export const modelListSchema = z.strictObject({ object: z.literal("list"), data: z.array(listedModelSchema) });

export type ListedModel = z.infer<typeof listedModelSchema>;
export type ModelList = z.infer<typeof modelListSchema>;
