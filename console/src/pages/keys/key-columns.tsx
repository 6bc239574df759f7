import type { ReactNode } from "react";
import type { ListedKey } from "../../api/generated/admin.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { Sparkline } from "../../charts/sparkline.tsx";
import { readAmount, readCounted, unitOf } from "../../format/counted.ts";
import { readCredits } from "../../format/money.ts";
import { CREDITS, TOKENS } from "../../format/unit.ts";
import { AccountName } from "../../parts/account-name.tsx";
import { Amount } from "../../parts/amount.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";
import { countColumn, momentColumn, textColumn } from "../../table/plain-columns.tsx";
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

const KeyTrend = ({ of: { label, prefix }, trend }: { of: ListedKey; trend: Trend | undefined }): ReactNode =>
  trend ? (
    <Sparkline {...trend} label={`Use of ${label ?? prefix} over 30 days`} />
  ) : (
    <span className="text-ink-3">–</span>
  );

/** `trends`: the last days of the keys that spend most, by id. */
export const keyColumns = (nowMs: number, trends: ReadonlyMap<string, Trend>): Column<ListedKey>[] => [
  textColumn("label", "Label", ({ label }) => label),
  {
    id: "prefix",
    head: "Key",
    width: 128,
    cell: ({ prefix }) => <code className="font-mono text-small">{prefix}…</code>,
    plain: ({ prefix }) => prefix,
  },
  textColumn("status", "Status", ({ status }) => status, {
    width: 112,
    cell: ({ status }) => <Badge tone={KEY_TONES[status]}>{status}</Badge>,
  }),
  textColumn("account", "Account", ({ account }) => account, {
    cell: ({ account }) => (account === null ? NONE : <AccountName path={account} />),
  }),
  textColumn("mode", "Pays with", ({ mode }) => mode, {
    width: 104,
    hidden: true,
    cell: ({ mode }) => (mode === "credit" ? "credit" : "token budget"),
  }),
  textColumn("available", "Available", ({ available }) => available, {
    width: 264,
    cell: (key) => <Balance of={key} />,
    sort: availableOf,
  }),
  {
    id: "trend",
    head: "Last 30 days",
    width: 104,
    cell: (key) => <KeyTrend of={key} trend={trends.get(key.id)} />,
    plain: ({ id }) => trends.get(id)?.values.map(String).join(" ") ?? "",
  },
  textColumn("spent", "Spent (credits)", ({ spent }) => spent, {
    width: 128,
    align: "right",
    cell: ({ spent }) => <Amount value={readCredits(spent)} unit={CREDITS} />,
    sort: ({ spent }) => readCredits(spent),
  }),
  countColumn("tokens", "Tokens", ({ tokens }) => tokens, {
    width: 112,
    hidden: true,
    cell: ({ tokens }) => <Amount value={BigInt(tokens)} unit={TOKENS} />,
  }),
  countColumn("rpm", "Rate / min", ({ rpm_limit: rpm }) => rpm, {
    width: 96,
    hidden: true,
    cell: ({ rpm_limit: rpm }) => rpm ?? NONE,
  }),
  textColumn("scope", "Provider", ({ provider_scope: scope }) => scope, { width: 104, hidden: true }),
  momentColumn("expires", "Expires", ({ expires_at: at }) => at, { nowMs, width: 104, align: "right", hidden: true }),
  momentColumn("created", "Created", ({ created_at: at }) => at, { nowMs, width: 96, align: "right" }),
];
