import type { ReactNode } from "react";
import type { PersonalToken } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";

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
  {
    id: "state",
    head: "State",
    width: 104,
    cell: (token) => <Badge tone={TONES[stateOf(token, nowMs)]}>{stateOf(token, nowMs)}</Badge>,
    sort: (token) => stateOf(token, nowMs),
    plain: (token) => stateOf(token, nowMs),
  },
  {
    id: "narrowed",
    head: "Narrowed to",
    cell: (token) => narrowedTo(token) || <span className="text-ink-3">as its person</span>,
    sort: narrowedTo,
    plain: narrowedTo,
  },
  moment("created", "Made", ({ created_at: at }) => at, nowMs),
  moment("used", "Last used", ({ last_used_at: at }) => at, nowMs),
  moment("expires", "Expires", ({ expires_at: at }) => at, nowMs),
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

function moment(
  id: string,
  head: string,
  of: (token: PersonalToken) => string | null,
  nowMs: number,
): Column<PersonalToken> {
  return {
    id,
    head,
    width: 104,
    cell: (token) => {
      const at = of(token);
      return at === null ? <span className="text-ink-3">never</span> : <Moment atMs={Date.parse(at)} nowMs={nowMs} />;
    },
    sort: of,
    plain: (token) => of(token) ?? "",
  };
}
