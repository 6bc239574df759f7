import type { OperationName } from "./call.ts";
import type { RESOURCES } from "./generated/resources.ts";

export type ChangeName = Extract<OperationName, `${"POST" | "PATCH" | "DELETE"} ${"/admin/" | "/me/session"}${string}`>;
export type Resource = (typeof RESOURCES)[OperationName];

/** What a change of a resource changes beside it and beside the audit log. */
export const ALSO_CHANGED: Record<(typeof RESOURCES)[ChangeName], readonly Resource[]> = {
  // A key counts in its account, and a client session is a key of a person.
  keys: ["accounts", "funds", "usage", "ledger", "notices", "people", "session", "requests"],
  // Names, states and limits of an account are on whatever is below it.
  accounts: ["keys", "funds", "usage", "ledger", "notices", "people", "session", "requests"],
  funds: ["keys", "accounts", "usage", "ledger", "notices"],
  // It is charged when it has ended, some moments later.
  live: [],
  ledger: ["keys", "accounts", "funds", "usage", "notices", "requests", "system"],
  notices: [],
  // The reader may be the person. With a person their account is suspended.
  people: ["session", "keys", "accounts"],
  session: ["people", "keys"],
  // A model has routes to providers.
  providers: ["models", "health", "system"],
  models: ["providers", "health", "system"],
  catalogue: ["models", "providers", "health", "system", "ledger"],
  "Your key": [],
};
