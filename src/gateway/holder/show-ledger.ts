import type { PageRequest } from "../../core/page.ts";
import type { ShowJournal } from "../../ledger/report/journal.ts";
import type { HolderLedger } from "../../wire/holder/ledger.ts";
import type { KeyHolder } from "./holder-door.ts";
import { recordsAway } from "./records-away.ts";

/** GET /me/ledger: what was funded, charged and given back, newest first. Who of the operators did it is theirs to know. */
export type ShowLedger = (holder: KeyHolder, page: PageRequest) => Promise<HolderLedger>;

export const createShowLedger =
  ({ journalOf }: { journalOf: (bucket: number) => ShowJournal }): ShowLedger =>
  ({ key: { id, bucket } }, page) =>
    journalOf(bucket)({ kind: "key", id }, page).catch(recordsAway);
