import { z } from "zod";

const MOST_TIERS = 64;

/** Tiers that keys may ask for. An empty list leaves the usual one. */
export const tiers = z
  .array(
    z
      .string()
      .regex(
        /^(?!(?:default|auto)$)[a-z0-9][a-z0-9_-]{0,39}$/,
        "Input should be the name of a tier that prices name, such as flex",
      ),
  )
  .max(MOST_TIERS)
  .nullable()
  .describe(
    "Service tiers that may be asked for beside the usual one, by their names in prices, such as `flex`; an empty list: the usual one alone; null: all that are sold.",
  );
