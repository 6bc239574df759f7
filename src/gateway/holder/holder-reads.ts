import type { ListErrors } from "./list-errors.ts";
import type { EndOwnSessions, ListOwnSessions } from "./list-sessions.ts";
import type { ListOwnModels } from "./model-speed.ts";
import type { ShowHolder } from "./show-holder.ts";
import type { ShowLedger } from "./show-ledger.ts";
import type { ListOwnRequests, ShowOwnRequest } from "./show-requests.ts";
import type { ShowSeries } from "./show-series.ts";

/** What a key holder can read about the own key. */
export type HolderReads = {
  showHolder: ShowHolder;
  showLedger: ShowLedger;
  showSeries: ShowSeries;
  listRequests: ListOwnRequests;
  showRequest: ShowOwnRequest;
  listErrors: ListErrors;
  listModels: ListOwnModels;
  listSessions: ListOwnSessions;
};

/** What a signed-in person changes. */
export type HolderChanges = { endSessions: EndOwnSessions };
