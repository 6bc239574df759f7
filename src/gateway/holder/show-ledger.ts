import { formatAmount, type Unit } from "../../core/amount.ts";
import type { PageRequest } from "../../core/page.ts";
import type { JournalLine, ShowJournal } from "../../ledger/journal.ts";
import type { HolderLedgerBody } from "../../wire/holder/ledger.ts";
import type { KeyHolder } from "./holder-door.ts";
import { recordsAway } from "./records-away.ts";

/** GET /me/ledger: what was funded, charged and given back, newest first. Who of the operators did it is theirs to know. */
export type ShowLedger = (holder: KeyHolder, page: PageRequest) => Promise<HolderLedgerBody>;

export const createShowLedger =
  ({ journalOf }: { journalOf: (bucket: number) => ShowJournal }): ShowLedger =>
  async ({ key: { id, bucket } }, page) => {
    const { unit, counterKind, data, next } = await journalOf(bucket)({ kind: "key", id }, page).catch(recordsAway);
    return { unit, counter_kind: counterKind, data: data.map((line) => entryOf(line, unit)), next };
  };

function entryOf(line: JournalLine, unit: Unit): HolderLedgerBody["data"][number] {
  const inUnit = (of: Unit, value: bigint | null): string | null => (value === null ? null : formatAmount(of, value));
  return {
    at: new Date(line.atMs).toISOString(),
    settled_at: line.settledAtMs === null ? null : new Date(line.settledAtMs).toISOString(),
    kind: line.kind,
    credits: inUnit("credit", line.credits),
    tokens: inUnit("tokens", line.tokens),
    running: inUnit(unit, line.running),
    request_id: line.requestId,
    model: line.model,
    price_version: line.priceVersion,
    input_tokens: line.inputTokens,
    output_tokens: line.outputTokens,
    reference: line.reference,
  };
}
