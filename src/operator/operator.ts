import type { ManageAccounts } from "./accounts.ts";
import type { ReadAudit } from "./audit.ts";
import type { ReadBooks } from "./books.ts";
import type { ManageCatalogue } from "./catalogue.ts";
import type { ManageClientSessions } from "../entrance/client-session/manage-client-sessions.ts";
import type { ManageClosedPurses } from "./closed-purses.ts";
import type { ManageFunds } from "./funds.ts";
import type { ManageKeys } from "./keys.ts";
import type { ManageLive } from "./live.ts";
import type { ManageNotices } from "./notices.ts";
import type { ManagePeople } from "./people.ts";
import type { ManageProviders } from "./providers.ts";
import type { ManageQuarantine } from "./quarantine.ts";
import type { ManageTokens } from "../entrance/token/manage-tokens.ts";
import type { ReadRequests } from "./requests.ts";
import type { ReportSeries } from "./series.ts";
import type { ReportToOperators } from "./usage.ts";

/** What operators can do, whichever way they come: by a command or through the admin API. */
export type Operator = {
  keys: ManageKeys;
  accounts: ManageAccounts;
  funds: ManageFunds;
  books: ReadBooks;
  closedPurses: ManageClosedPurses;
  quarantine: ManageQuarantine;
  live: ManageLive;
  requests: ReadRequests;
  series: ReportSeries;
  notices: ManageNotices;
  usage: ReportToOperators;
  providers: ManageProviders;
  catalogue: ManageCatalogue;
  audit: ReadAudit;
  people: ManagePeople;
  tokens: ManageTokens;
  clientSessions: ManageClientSessions;
};
