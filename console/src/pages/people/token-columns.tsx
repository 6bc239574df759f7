import type { ReactNode } from "react";
import type { PersonalToken } from "../../api/generated/admin.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";
import { momentColumn, textColumn } from "../../table/plain-columns.tsx";

type State = "active" | "expired" | "revoked";
const TONES: Record<State, Tone> = { active: "good", expired: "neutral", revoked: "neutral" };

const stateOf = ({ revoked_at: revoked, expires_at: expires }: PersonalToken, nowMs: number): State =>
  revoked !== null ? "revoked" : Date.parse(expires) <= nowMs ? "expired" : "active";

const narrowedTo = ({ role, account }: PersonalToken): string =>
  [role, account !== null && `at ${account}`].filter(Boolean).join(" ");

type Parts = { nowMs: number; onRevoke: (token: PersonalToken) => void };

export const tokenColumns = ({ nowMs, onRevoke }: Parts): readonly Column<PersonalToken>[] => [
  {
    id: "name",
    head: "What it is for",
    cell: ({ name }) => <span title={name}>{name}</span>,
    sort: ({ name }) => name,
    plain: ({ name }) => name,
  },
  {
    id: "prefix",
    head: "Token",
    width: 136,
    cell: ({ prefix }) => <code className="font-mono text-small">{prefix}…</code>,
    plain: ({ prefix }) => prefix,
  },
  textColumn("state", "State", (token) => stateOf(token, nowMs), {
    width: 104,
    cell: (token) => <Badge tone={TONES[stateOf(token, nowMs)]}>{stateOf(token, nowMs)}</Badge>,
  }),
  textColumn("narrowed", "Narrowed to", narrowedTo, {
    cell: (token) => narrowedTo(token) || <span className="text-ink-3">as its person</span>,
  }),
  momentColumn("created", "Made", ({ created_at: at }) => at, { nowMs, width: 104 }),
  momentColumn("used", "Last used", ({ last_used_at: at }) => at, { nowMs, width: 104 }),
  momentColumn("expires", "Expires", ({ expires_at: at }) => at, { nowMs, width: 104 }),
  {
    id: "revoke",
    head: "Action",
    width: 108,
    align: "right",
    cell: (token): ReactNode =>
      stateOf(token, nowMs) === "active" && (
        <Button look="quiet" className="h-7!" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
    plain: () => "",
  },
];
