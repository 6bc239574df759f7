import { z } from "zod";
import { namedKey } from "./keys.ts";

/** An account that an answer is about. */
export const namedAccount = z
  .object({ id: z.string(), title: z.string().describe("The names from the root down.") })
  .meta({ id: "NamedAccount" });

/** Whose it is: one of the two is null, and both are for what is everybody's. */
export const namedHolder = {
  key: namedKey.nullable().describe("Null: it is an account's, or everybody's."),
  account: namedAccount.nullable().describe("Null: it is a key's, or everybody's."),
};
