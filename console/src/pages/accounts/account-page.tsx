import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Account, AccountKey, AccountTree, Counter, ShowThresholdsResponse } from "../../api/generated/admin.ts";
import { readAmount, unitOf } from "../../format/counted.ts";
import { readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { Failure, READY, Skeleton } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { AccountClientSessions } from "../people/client-sessions-table.tsx";
import { ACCOUNT_TONES, accountColumns } from "./account-columns.tsx";
import { AccountActions } from "./account-actions.tsx";
import { CounterList } from "./counter-list.tsx";
import { LimitDialog, RemoveLimitDialog } from "./limit-dialog.tsx";
import { StatementCard } from "./statement-card.tsx";
import { thresholdsOf } from "./thresholds.ts";

/** One account: what it may spend, what is below it, its months. */
export function AccountPage(): ReactNode {
  const { account: name } = useParams({ from: "/shell/accounts/$account" });
  const tree = useQuery({
    ...queryOf("GET /admin/v1/accounts/{account}", { params: { account: name } }),
    refetchInterval: 15_000,
  });
  if (tree.error) return <Failure error={tree.error} height={400} retry={() => void tree.refetch()} />;
  return tree.data ? <Found tree={tree.data} /> : <Skeleton height={400} />;
}

function Found({ tree: { account, below, keys, more } }: { tree: AccountTree }): ReactNode {
  const navigate = useNavigate();
  const watched = useQuery(queryOf("GET /admin/v1/notices/thresholds", { query: { name: account.id } }));
  const told = (kind: Counter["kind"]): readonly string[] =>
    watched.data?.counters.find((counter) => counter.kind === kind)?.thresholds ?? [];
  const columns = useMemo(() => accountColumns({ isTree: false }), []);
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={
          account.parent_id === null ? (
            <BackLink to="/accounts">Accounts</BackLink>
          ) : (
            <BackLink to="/accounts/$account" params={{ account: account.parent_id }}>
              {account.path.split("/").slice(0, -1).join(" / ")}
            </BackLink>
          )
        }
        title={
          <>
            {account.name} <Badge tone={ACCOUNT_TONES[account.state]}>{account.state}</Badge>
          </>
        }
        lead={
          <>
            {account.kind} ·{" "}
            {account.tiers !== null && `service tiers: ${account.tiers.join(", ") || "the usual one only"} · `}
            {account.regions !== null && `regions: ${account.regions.join(", ")} · `}
            <Link to="/ledger" search={{ account: account.id, key: undefined }} className="text-accent underline">
              ledger
            </Link>{" "}
            ·{" "}
            <Link to="/requests" search={{ account: account.id, key: undefined }} className="text-accent underline">
              requests
            </Link>
          </>
        }
        actions={<AccountActions of={account} below={below.length} told={told} />}
      />
      <div className="grid gap-4 xl:grid-cols-2">
        <OwnLimits of={account} watched={watched.data} />
        <StatementCard account={account.id} />
      </div>
      {below.length > 0 && (
        <DataTable
          label="Accounts below it"
          columns={columns}
          rows={below}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: "/accounts/$account", params: { account: id } })}
        />
      )}
      <KeysBelow keys={keys} more={more} />
      <AccountClientSessions of={account.id} />
    </div>
  );
}

type Open = { kind: "limit"; counter: Counter | null } | { kind: "remove"; counter: Counter } | null;

type LimitParts = { of: Account; watched: ShowThresholdsResponse | undefined };

/** What the account itself can spend, and how to change it. */
function OwnLimits({ of: account, watched }: LimitParts): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const holder = { kind: "account", id: account.id, name: account.path } as const;
  const toolsOf = (counter: Counter): ReactNode => (
    <>
      <IconButton label="Change this limit" icon="settings" onClick={() => setOpen({ kind: "limit", counter })} />
      <IconButton label="Remove this limit" icon="close" onClick={() => setOpen({ kind: "remove", counter })} />
    </>
  );
  return (
    <>
      <Card
        title="What may it spend?"
        lead="Its own purse and limits; those above it hold, too."
        actions={<Button onClick={() => setOpen({ kind: "limit", counter: null })}>Add a limit</Button>}
      >
        {account.counters.length === 0 ? (
          <p className="text-ink-2">It has neither credit nor a limit of its own.</p>
        ) : (
          <CounterList
            counters={account.counters}
            self={account.name}
            thresholdsOf={(counter) => thresholdsOf(watched, counter)}
            tools={(counter) => counter.kind === "limit" && toolsOf(counter)}
          />
        )}
      </Card>
      {open?.kind === "limit" && <LimitDialog of={holder} counter={open.counter} onClose={close} />}
      {open?.kind === "remove" && <RemoveLimitDialog of={holder} counter={open.counter} onClose={close} />}
    </>
  );
}

function KeysBelow({ keys, more }: Pick<AccountTree, "keys" | "more">): ReactNode {
  const navigate = useNavigate();
  return (
    <DataTable
      label="Keys"
      columns={KEY_COLUMNS}
      rows={keys}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/keys/$key", params: { key: id } })}
      shown={
        keys.length === 0
          ? { kind: "empty", title: "Neither it nor an account below it has a key" }
          : more
            ? { kind: "too-many", note: "The first 1,000 are shown. Open an account below it for the others." }
            : READY
      }
    />
  );
}

const KEY_COLUMNS: readonly Column<AccountKey>[] = [
  {
    id: "label",
    head: "Label",
    cell: ({ label }) => label ?? <span className="text-ink-3">none</span>,
    sort: ({ label }) => label,
    plain: ({ label }) => label ?? "",
  },
  {
    id: "prefix",
    head: "Key",
    width: 128,
    cell: ({ prefix }) => <code className="font-mono text-small">{prefix ?? ""}…</code>,
    plain: ({ prefix }) => prefix ?? "",
  },
  { id: "status", head: "Status", width: 112, cell: ({ status }) => status, plain: ({ status }) => status },
  {
    id: "today",
    head: "Today (UTC)",
    width: 168,
    align: "right",
    cell: ({ today, mode }) => <Amount value={readAmount(inUnit(mode), today)} unit={unitOf(inUnit(mode))} named />,
    sort: ({ today, mode }) => readAmount(inUnit(mode), today),
    plain: ({ today }) => today,
  },
  {
    id: "spent",
    head: "Spent (credits)",
    width: 128,
    align: "right",
    cell: ({ spent }) => <Amount value={readCredits(spent)} unit={CREDITS} />,
    sort: ({ spent }) => readCredits(spent),
    plain: ({ spent }) => spent,
  },
];

const inUnit = (mode: AccountKey["mode"]): "credit" | "tokens" => (mode === "credit" ? "credit" : "tokens");
