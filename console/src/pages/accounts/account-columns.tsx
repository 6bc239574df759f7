import type { ReactNode } from "react";
import type { Account, Counter } from "../../api/generated/admin.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { PERIODS, readAmount, readCounted, unitOf } from "../../format/counted.ts";
import { Amount } from "../../parts/amount.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";
import { countColumn, textColumn } from "../../table/plain-columns.tsx";
import { tightest } from "./tightest.ts";

export const ACCOUNT_TONES: Record<Account["state"], Tone> = {
  active: "good",
  suspended: "warn",
  disabled: "bad",
  closed: "neutral",
};

const none = <span className="text-ink-3">none</span>;

const Counted = ({ of: counter }: { of: Counter | undefined }): ReactNode =>
  counter === undefined ? (
    none
  ) : (
    <div className="flex items-center gap-3">
      <CounterBar {...readCounted(counter)} bare />
      <span className="ml-auto truncate">
        <Amount value={readAmount(counter.unit, counter.available)} unit={unitOf(counter.unit)} named />
        {counter.kind === "limit" && <span className="text-ink-3"> {PERIODS[counter.period]}</span>}
      </span>
    </div>
  );

const purseOf = ({ counters }: Account): Counter | undefined => counters.find(({ kind }) => kind === "purse");
const limitOf = ({ counters }: Account): Counter | undefined =>
  tightest(counters.filter(({ kind }) => kind === "limit"))?.counter;
const depthOf = ({ path }: Account): number => path.split("/").length - 1;
const available = (counter: Counter | undefined): bigint | null =>
  counter === undefined ? null : readAmount(counter.unit, counter.available);

/** In the tree a name stands under the one above it; elsewhere the whole path is said. */
export const accountColumns = ({ isTree }: { isTree: boolean }): Column<Account>[] => [
  {
    id: "name",
    head: "Account",
    cell: (account) =>
      isTree ? (
        <span
          style={{ paddingLeft: depthOf(account) * 20 }}
          className={account.parent_id === null ? "font-medium" : ""}
        >
          {depthOf(account) > 0 && <span className="text-ink-3">└ </span>}
          {account.name}
        </span>
      ) : (
        account.path
      ),
    plain: ({ path }) => path,
  },
  textColumn("kind", "Kind", ({ kind }) => kind, { width: 112 }),
  textColumn("state", "Status", ({ state }) => state, {
    width: 112,
    cell: ({ state }) => <Badge tone={ACCOUNT_TONES[state]}>{state}</Badge>,
  }),
  {
    id: "purse",
    head: "Credit available",
    width: 248,
    cell: (account) => <Counted of={purseOf(account)} />,
    sort: (account) => available(purseOf(account)),
    plain: (account) => purseOf(account)?.available ?? "",
  },
  {
    id: "limit",
    head: "Tightest limit, available",
    width: 312,
    cell: (account) => <Counted of={limitOf(account)} />,
    plain: (account) => limitOf(account)?.available ?? "",
  },
  {
    id: "used",
    head: "Used",
    width: 80,
    align: "right",
    cell: ({ counters }) => {
      const used = tightest(counters);
      return used === null ? <span className="text-ink-3">–</span> : `${used.percent} %`;
    },
    sort: ({ counters }) => tightest(counters)?.percent ?? null,
    plain: ({ counters }) => String(tightest(counters)?.percent ?? ""),
  },
  countColumn("keys", "Keys", ({ keys }) => keys, { width: 72 }),
];
