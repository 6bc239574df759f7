import type { ManageAccounts } from "./accounts.ts";
import type { ReadAudit } from "./audit/audit.ts";
import type { ReadBooks } from "./money/books.ts";
import type { ManageCatalogue } from "./catalogue.ts";
import type { ManageClientSessions } from "../entrance/client-session/manage-client-sessions.ts";
import type { ManageClosedPurses } from "./money/closed-purses.ts";
import type { ManageFunds } from "./money/funds.ts";
import type { ManageKeys } from "./keys/keys.ts";
import type { ManageLive } from "./live.ts";
import type { ManageNotices } from "./notices.ts";
import type { ManagePeople } from "./people.ts";
import type { ManageProviders } from "./providers.ts";
import type { ManageQuarantine } from "./money/quarantine.ts";
import type { ManageTokens } from "../entrance/token/manage-tokens.ts";
import type { ReadRequests } from "./requests.ts";
import type { ReportSeries } from "./series.ts";
import type { ReportToOperators } from "./money/usage.ts";

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
