import { z } from "zod";
import { region } from "../catalogue/route.ts";

const MOST_REGIONS = 64;

/** Where requests of a key may run. */
export const regions = z
  .array(region)
  .min(1)
  .max(MOST_REGIONS)
  .nullable()
  .describe(
    "Regions of routes that requests may run in, such as `eu`. A route without a region is then left out. Null: anywhere.",
  );
