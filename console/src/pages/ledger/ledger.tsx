import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { pagesOf } from "../../api/query.ts";
import type { Journal, JournalEntry } from "../../api/generated/admin.ts";
import { StepLine } from "../../charts/step-line.tsx";
import { readAmount, unitOf } from "../../format/counted.ts";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { useNow, useOwnSearch, usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { accountsQuery } from "../accounts/accounts-query.ts";
import { TopUpDialog } from "../accounts/top-up-dialog.tsx";
import { entryColumns } from "./entry-columns.tsx";
import { LedgerHolders } from "./ledger-holders.tsx";
import { VerifyBadge } from "./verify-badge.tsx";

const PAGE = 500;

/** The entries of one account or key, with the balance after each. Which one it is stands in the address. */
export function Ledger(): ReactNode {
  const { search, change } = usePageSearch();
  const of = search.key === undefined ? search.account : search.key;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        {of === undefined ? (
          <p className="text-ink-2">Whose ledger? Each account and each key has its own.</p>
        ) : (
          <Button look="quiet" onClick={() => change({ account: undefined, key: undefined })}>
            ← All ledgers
          </Button>
        )}
        <VerifyBadge />
      </div>
      {of === undefined ? (
        <LedgerHolders />
      ) : (
        <HolderLedger key={of} kind={search.key === undefined ? "account" : "key"} name={of} />
      )}
    </div>
  );
}

type Of = { kind: "account" | "key"; name: string };

const journalOf = ({ kind, name }: Of) =>
  pagesOf(kind === "key" ? "GET /admin/v1/keys/{key}/journal" : "GET /admin/v1/accounts/{account}/journal", {
    params: kind === "key" ? { key: name } : { account: name },
    query: { limit: PAGE },
  });

function HolderLedger({ kind, name }: Of): ReactNode {
  const navigate = useNavigate();
  const { own, changeOwn } = useOwnSearch("/shell/ledger");
  const [isBooking, setIsBooking] = useState(false);
  const journal = useInfiniteQuery(journalOf({ kind, name }));
  const accounts = useQuery(accountsQuery);
  const first = journal.data?.pages[0];
  const all = useMemo(() => journal.data?.pages.flatMap(({ data }) => data) ?? [], [journal.data]);
  const kinds = [...new Set(all.map((entry) => entry.kind))].toSorted();
  const rows = own.entry === undefined ? all : all.filter((entry) => entry.kind === own.entry);
  const unit = first?.unit ?? "credit";
  const columns = useMemo(() => entryColumns(unit), [unit]);
  const title = first?.account?.title ?? (first?.key ? `key ${first.key.prefix}…` : "…");
  const id = first?.account?.id ?? first?.key?.id ?? name;
  const shown = shownOf(journal, all.length === 0 ? { title: "Nothing was booked yet" } : null);
  const hasPurse = kind === "key" || accounts.data?.some((one) => one.id === id) === true;
  return (
    <>
      <h2 className="text-page font-semibold break-words">
        <HolderLink kind={kind} id={id}>
          {title}
        </HolderLink>
      </h2>
      {first !== undefined && first.counter_kind !== null && <Balance of={first} entries={all} shown={shown} />}
      <DataTable
        label="Entries"
        columns={columns}
        rows={rows}
        rowKey={(entry) => `${entry.at} ${entry.kind} ${entry.request_id ?? entry.reference ?? ""}`}
        onOpen={({ request_id: request }) =>
          request !== null && void navigate({ to: "/requests/$request", params: { request } })
        }
        height={560}
        shown={
          journal.hasNextPage && shown.kind === "ready"
            ? {
                kind: "too-many",
                note: `The newest ${all.length} entries are read. Filters and the file have these alone.`,
              }
            : shown
        }
        tools={
          <>
            {journal.hasNextPage && (
              <Button busy={journal.isFetchingNextPage} onClick={() => void journal.fetchNextPage()}>
                Load {PAGE} more
              </Button>
            )}
            <select
              aria-label="Kind of entry"
              value={own.entry ?? ""}
              onChange={({ target }) => changeOwn({ entry: target.value || undefined })}
              className={`${INPUT} w-auto!`}
            >
              <option value="">all kinds</option>
              {kinds.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            {hasPurse && unit === "credit" && (
              <Button look="primary" onClick={() => setIsBooking(true)}>
                Top up or adjust
              </Button>
            )}
          </>
        }
      />
      {isBooking && <TopUpDialog of={{ kind, id, name: title }} onClose={() => setIsBooking(false)} />}
    </>
  );
}

const HolderLink = ({ kind, id, children }: Pick<Of, "kind"> & { id: string; children: string }): ReactNode =>
  kind === "key" ? (
    <Link to="/keys/$key" params={{ key: id }} className="hover:underline">
      {children}
    </Link>
  ) : (
    <Link to="/accounts/$account" params={{ account: id }} className="hover:underline">
      {children}
    </Link>
  );

type BalanceParts = { of: Journal; entries: readonly JournalEntry[]; shown: Shown };

/** How the purse, or the use of the limit, changed with each entry. */
function Balance({ of: { unit, counter_kind: kind }, entries, shown }: BalanceParts): ReactNode {
  const nowMs = useNow(60_000);
  const steps = useMemo(() => stepsOf(entries, unit), [entries, unit]);
  const isPurse = kind === "purse";
  return (
    <StepLine
      title={isPurse ? "How did the balance change?" : "How much of the limit was used?"}
      lead={`${unitOf(unit).name}, after each of the newest ${steps.length} entries${isPurse ? "" : " of this period"}`}
      steps={steps}
      untilMs={Math.max(nowMs, steps.at(-1)?.atMs ?? 0)}
      unit={unitOf(unit)}
      shown={steps.length === 0 ? { kind: "empty", title: "Nothing was booked in this period" } : shown}
    />
  );
}

/** Oldest first; entries of earlier periods of a limit have no figure. Of entries at one moment the last one counts. */
function stepsOf(entries: readonly JournalEntry[], unit: Journal["unit"]) {
  const at = new Map<number, { atMs: number; value: bigint; note: string }>();
  for (const { at: moment, running, kind } of entries.toReversed())
    if (running !== null) {
      const atMs = Date.parse(moment);
      at.set(atMs, { atMs, value: readAmount(unit, running), note: kind });
    }
  return [...at.values()];
}
