import type { ReactNode } from "react";
import type { ListedKey } from "../../api/generated/admin.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { Sparkline } from "../../charts/sparkline.tsx";
import { readAmount, readCounted, unitOf } from "../../format/counted.ts";
import { readCredits } from "../../format/money.ts";
import { CREDITS, TOKENS } from "../../format/unit.ts";
import { AccountName } from "../../parts/account-name.tsx";
import { Amount, Moment } from "../../parts/amount.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";
import type { Trend } from "./use-key-trends.ts";

const NONE = <span className="text-ink-3">none</span>;

export const KEY_TONES: Record<ListedKey["status"], Tone> = {
  active: "good",
  suspended: "warn",
  disabled: "bad",
  revoked: "neutral",
  expired: "neutral",
};

/** What is left, in the unit of the key; null: nothing limits it. */
const availableOf = ({ unit, available }: ListedKey): bigint | null =>
  available === null ? null : readAmount(unit, available);

const Balance = ({ of: { unit, available, charged, reserved } }: { of: ListedKey }): ReactNode =>
  available === null || charged === null || reserved === null ? (
    <span className="text-ink-3">no limit</span>
  ) : (
    <div className="flex items-center gap-3">
      <CounterBar {...readCounted({ unit, available, charged, reserved })} bare />
      <span className="ml-auto">
        <Amount value={readAmount(unit, available)} unit={unitOf(unit)} named />
      </span>
    </div>
  );

/** `trends`: the last days of the keys that spend most, by id. */
export const keyColumns = (nowMs: number, trends: ReadonlyMap<string, Trend>): Column<ListedKey>[] => [
  {
    id: "label",
    head: "Label",
    cell: ({ label }) => label ?? NONE,
    sort: ({ label }) => label,
    plain: ({ label }) => label ?? "",
  },
  {
    id: "prefix",
    head: "Key",
    width: 128,
    cell: ({ prefix }) => <code className="font-mono text-small">{prefix}…</code>,
    plain: ({ prefix }) => prefix,
  },
  {
    id: "status",
    head: "Status",
    width: 112,
    cell: ({ status }) => <Badge tone={KEY_TONES[status]}>{status}</Badge>,
    sort: ({ status }) => status,
    plain: ({ status }) => status,
  },
  {
    id: "account",
    head: "Account",
    cell: ({ account }) => (account === null ? NONE : <AccountName path={account} />),
    sort: ({ account }) => account,
    plain: ({ account }) => account ?? "",
  },
  {
    id: "mode",
    head: "Pays with",
    width: 104,
    hidden: true,
    cell: ({ mode }) => (mode === "credit" ? "credit" : "token budget"),
    sort: ({ mode }) => mode,
    plain: ({ mode }) => mode,
  },
  {
    id: "available",
    head: "Available",
    width: 264,
    cell: (key) => <Balance of={key} />,
    sort: availableOf,
    plain: ({ available }) => available ?? "",
  },
  {
    id: "trend",
    head: "Last 30 days",
    width: 104,
    cell: ({ id, label, prefix }) => {
      const trend = trends.get(id);
      return trend ? (
        <Sparkline {...trend} label={`Use of ${label ?? prefix} over 30 days`} />
      ) : (
        <span className="text-ink-3">–</span>
      );
    },
    plain: ({ id }) => trends.get(id)?.values.map(String).join(" ") ?? "",
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
  {
    id: "tokens",
    head: "Tokens",
    width: 112,
    align: "right",
    hidden: true,
    cell: ({ tokens }) => <Amount value={BigInt(tokens)} unit={TOKENS} />,
    sort: ({ tokens }) => tokens,
    plain: ({ tokens }) => String(tokens),
  },
  {
    id: "rpm",
    head: "Rate / min",
    width: 96,
    align: "right",
    hidden: true,
    cell: ({ rpm_limit: rpm }) => rpm ?? <span className="text-ink-3">none</span>,
    sort: ({ rpm_limit: rpm }) => rpm,
    plain: ({ rpm_limit: rpm }) => String(rpm ?? ""),
  },
  {
    id: "scope",
    head: "Provider",
    width: 104,
    hidden: true,
    cell: ({ provider_scope: scope }) => scope,
    sort: ({ provider_scope: scope }) => scope,
    plain: ({ provider_scope: scope }) => scope,
  },
  {
    id: "expires",
    head: "Expires",
    width: 104,
    align: "right",
    hidden: true,
    cell: ({ expires_at: at }) =>
      at === null ? <span className="text-ink-3">never</span> : <Moment atMs={Date.parse(at)} nowMs={nowMs} />,
    sort: ({ expires_at: at }) => at,
    plain: ({ expires_at: at }) => at ?? "",
  },
  {
    id: "created",
    head: "Created",
    width: 96,
    align: "right",
    cell: ({ created_at: at }) => <Moment atMs={Date.parse(at)} nowMs={nowMs} />,
    sort: ({ created_at: at }) => at,
    plain: ({ created_at: at }) => at,
  },
];
