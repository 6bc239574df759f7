import type { ReadBooks } from "./books.ts";
import type { ManageCatalogue } from "./catalogue.ts";
import type { ManageFunds } from "./funds.ts";
import type { ManageKeys } from "./keys.ts";
import type { ManageProviders } from "./providers.ts";
import type { ManageQuarantine } from "./quarantine.ts";
import type { ShowKeyUsage } from "./usage.ts";

/** What operators can do, whichever way they come: by a command or through the admin API. */
export type Operator = {
  keys: ManageKeys;
  funds: ManageFunds;
  books: ReadBooks;
  quarantine: ManageQuarantine;
  usage: ShowKeyUsage;
  providers: ManageProviders;
  catalogue: ManageCatalogue;
};
