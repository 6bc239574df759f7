import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { WatchedCounter } from "../../api/generated/admin.ts";
import { readAmount, unitOf } from "../../format/counted.ts";
import { Amount } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { useMay } from "../../shell/may.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { findHolders } from "../../shell/find-holders.ts";
import { useSuggested } from "../../shell/use-suggested.ts";
import { counterOf } from "./notice-columns.tsx";
import { ThresholdDialog } from "./threshold-dialog.tsx";

/** What an account or a key is watched for; one is chosen first. */
export function Thresholds(): ReactNode {
  const may = useMay();
  const {
    own: { of },
    changeOwn,
  } = useOwnSearch("/shell/notices");
  const [typed, setTyped] = useState("");
  const found = useSuggested(findHolders, typed, "holder");
  const [asked, setAsked] = useState<WatchedCounter | null>(null);
  const watched = useQuery({
    ...queryOf("GET /admin/v1/notices/thresholds", { query: { name: of ?? "" } }),
    enabled: of !== undefined,
  });
  const maySet = may("setThresholds");
  const columns = useMemo(() => columnsOf(maySet ? setAsked : null), [maySet]);
  const rows = watched.data?.counters ?? [];
  return (
    <>
      <DataTable
        label="When is somebody told?"
        columns={columns}
        rows={rows}
        rowKey={({ counter }) => String(counter)}
        shown={of === undefined ? NOBODY_CHOSEN : shownOf(watched, rows.length === 0 ? NOTHING_WATCHED : null)}
        tools={
          <form
            key={of}
            className="flex items-center gap-1"
            onSubmit={(event) => {
              event.preventDefault();
              const name = String(new FormData(event.currentTarget).get("of") ?? "").trim();
              changeOwn({ of: name || undefined });
            }}
          >
            <input
              name="of"
              list="thresholds-of"
              aria-label="Account by its path, or key by its prefix"
              placeholder="Acme/Search or tgc_…"
              defaultValue={of}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
              className={`${INPUT} w-44! sm:w-64!`}
            />
            <datalist id="thresholds-of">
              {found.map(({ id, word, title }) => (
                <option key={id} value={word}>
                  {title}
                </option>
              ))}
            </datalist>
            <Button type="submit">Show</Button>
          </form>
        }
      />
      {asked && <ThresholdDialog of={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

const NOBODY_CHOSEN: Shown = {
  kind: "empty",
  title: "Choose an account or a key",
  hint: "A limit has percentages of its amount, a purse has amounts left. Each is told once per period.",
};
const NOTHING_WATCHED = {
  title: "It has no limit and no purse of its own",
  hint: "Those of accounts above it are watched there.",
};

const textOf = ({ kind, unit, thresholds }: WatchedCounter): string =>
  kind === "limit"
    ? thresholds.map((percent) => `${percent} %`).join(", ")
    : thresholds.map((left) => `${unitOf(unit).show(readAmount(unit, left))} left`).join(", ");

const columnsOf = (onChange: ((row: WatchedCounter) => void) | null): readonly Column<WatchedCounter>[] => [
  {
    id: "counter",
    head: "Limit or purse",
    cell: (row) => <span title={counterOf(row)}>{counterOf(row)}</span>,
    sort: counterOf,
    plain: counterOf,
  },
  {
    id: "amount",
    head: "Amount",
    width: 168,
    align: "right",
    cell: ({ kind, unit, amount }) =>
      kind === "purse" ? (
        <span className="text-ink-3">–</span>
      ) : (
        <Amount value={readAmount(unit, amount)} unit={unitOf(unit)} named />
      ),
    sort: ({ unit, amount }) => readAmount(unit, amount),
    plain: ({ amount }) => amount,
  },
  {
    id: "thresholds",
    head: "Told at",
    width: 240,
    cell: (row) => textOf(row) || <Badge>nobody is told</Badge>,
    plain: textOf,
  },
  {
    id: "usual",
    head: "Chosen by",
    width: 112,
    cell: ({ usual }) => (usual ? <span className="text-ink-3">default</span> : "an operator"),
    sort: ({ usual }) => (usual ? 0 : 1),
    plain: ({ usual }) => (usual ? "default" : "an operator"),
  },
  ...(onChange === null
    ? []
    : [
        {
          id: "change",
          head: "Action",
          width: 96,
          align: "right" as const,
          cell: (row: WatchedCounter): ReactNode => (
            <Button
              look="quiet"
              className="h-7!"
              aria-label={`Change the thresholds of the ${counterOf(row)}`}
              onClick={() => onChange(row)}
            >
              Change
            </Button>
          ),
          plain: () => "",
        },
      ]),
];
