import { z } from "zod";
import { renamed } from "../codec.ts";
import { listedModelSchema } from "../models/model-list.ts";
import { type ReadAs, written, type WrittenAs } from "../validate.ts";

/** How fast a model was in the last hour, over all keys. */
const modelSpeed = renamed(z.object({ output_per_second: z.number().nullable(), ttft_p50_ms: z.number().nullable() }), {
  outputPerSecond: "output_per_second",
  ttftP50Ms: "ttft_p50_ms",
});

export type ModelSpeed = z.output<typeof modelSpeed>;

/** What GET /me/models answers. */
export const holderModels = z.object({
  object: z.literal("list"),
  data: z.array(z.looseObject({ ...listedModelSchema.shape, speed: modelSpeed.nullable() })),
});

export type HolderModels = ReadAs<typeof holderModels>;

export const writeModels = (models: HolderModels): WrittenAs<typeof holderModels> => written(holderModels, models);
