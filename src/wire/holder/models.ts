import { z } from "zod";
import { listedModelSchema } from "../models/model-list.ts";

/** How fast a model was in the last hour, over all keys. */
export const modelSpeedSchema = z.object({
  output_per_second: z.number().nullable(),
  ttft_p50_ms: z.number().nullable(),
});

export type ModelSpeed = z.output<typeof modelSpeedSchema>;

/** What GET /me/models answers. */
export const holderModelsSchema = z.object({
  object: z.literal("list"),
  data: z.array(z.looseObject({ ...listedModelSchema.shape, speed: modelSpeedSchema.nullable() })),
});

export type HolderModelsBody = z.output<typeof holderModelsSchema>;
