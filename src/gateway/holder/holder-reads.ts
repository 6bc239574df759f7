import type { ListModels } from "../list-models.ts";
import type { ShowHolder } from "./show-holder.ts";
import type { ShowLedger } from "./show-ledger.ts";

/** What a key holder can read about the own key. */
export type HolderReads = { showHolder: ShowHolder; showLedger: ShowLedger; listModels: ListModels };
