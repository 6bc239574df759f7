import { z } from "zod";

/** Fields we carry but do not read are objects of any shape. */
export const carried = z.looseObject({});

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);

/** What is input to the model, in a message and in a count of its tokens alike. [spec 2.8, 2.11] */
export const inputFields = {
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content })).min(1),
  system: content.optional(),
  tools: z.array(carried).optional(),
  tool_choice: carried.optional(),
};
