import type { ReactNode } from "react";
import type { HolderSession } from "../../api/generated/holder.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";

type Parts = { nowMs: number; onEnd: (session: HolderSession) => void };

const NONE = <span className="text-ink-3">not known</span>;
const NOT_YET = <span className="text-ink-3">not yet</span>;

export const ownSessionColumns = ({ nowMs, onEnd }: Parts): readonly Column<HolderSession>[] => [
  {
    id: "client",
    head: "Client or browser",
    cell: ({ client, agent, is_current: isCurrent }) => (
      <span title={agent}>
        {client} {isCurrent && <Badge tone="accent">this one</Badge>}
      </span>
    ),
    sort: ({ client }) => client,
    plain: ({ client }) => client,
  },
  {
    id: "address",
    head: "Signed in from",
    width: 148,
    cell: ({ address }) => (address === "" ? NONE : <span title={address}>{address}</span>),
    sort: ({ address }) => address,
    plain: ({ address }) => address,
  },
  moment("created", "Signed in", ({ created_at: at }) => at),
  {
    ...moment("used", "Last used", ({ last_used_at: at }) => at, nowMs),
    cell: ({ last_used_at: at, is_current: isCurrent }) =>
      isCurrent ? "now" : at === null ? NOT_YET : <Moment atMs={Date.parse(at)} nowMs={nowMs} />,
  },
  moment("expires", "Expires", ({ expires_at: at }) => at, nowMs),
  {
    id: "end",
    head: "Action",
    width: 116,
    align: "right",
    cell: (session) => (
      <Button
        look="quiet"
        className="h-7!"
        aria-label={`Sign out ${session.client}${session.address === "" ? "" : ` at ${session.address}`}`}
        onClick={() => onEnd(session)}
      >
        Sign out
      </Button>
    ),
    plain: () => "",
  },
];

function moment(
  id: string,
  head: string,
  of: (session: HolderSession) => string | null,
  nowMs?: number,
): Column<HolderSession> {
  const cell = (session: HolderSession): ReactNode => {
    const at = of(session);
    return at === null ? NOT_YET : <Moment atMs={Date.parse(at)} {...(nowMs !== undefined && { nowMs })} />;
  };
  return { id, head, width: nowMs === undefined ? 168 : 104, cell, sort: of, plain: (session) => of(session) ?? "" };
}
