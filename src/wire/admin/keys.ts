import { z } from "zod";
import { storable } from "../storable.ts";

/** `key` in a path. */
export const ofKey = z.object({ key: z.string().describe("Id or prefix of the key.") });

/** How an account is named: by its id, or by the names from the root down. */
export const accountName = storable(900).min(1);

/** A key that an answer is about. */
export const namedKey = z.object({ id: z.uuid(), prefix: z.string() }).meta({ id: "NamedKey" });
