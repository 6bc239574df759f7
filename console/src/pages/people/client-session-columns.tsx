import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import type { ClientSession } from "../../api/generated/admin.ts";
import { AccountName } from "../../parts/account-name.tsx";
import { Moment } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";

type Parts = {
  nowMs: number;
  /** Whose: a list of one person's does not repeat who it is. */
  of: "one" | "all";
  /** Null: this reader may not end any. */
  onEnd: ((session: ClientSession) => void) | null;
};

const NONE = <span className="text-ink-3">not known</span>;
const NOT_YET = <span className="text-ink-3">not yet</span>;

export const clientSessionColumns = ({ nowMs, of, onEnd }: Parts): readonly Column<ClientSession>[] => [
  {
    id: "client",
    head: "Client",
    ...(of === "all" && { width: 216 }),
    cell: ({ client, agent }) => <span title={agent}>{client}</span>,
    sort: ({ client }) => client,
    plain: ({ client }) => client,
  },
  ...(of === "one" ? [] : WHOSE),
  {
    id: "address",
    head: "Signed in from",
    width: 144,
    cell: ({ address }) => (address === "" ? NONE : <span title={address}>{address}</span>),
    sort: ({ address }) => address,
    plain: ({ address }) => address,
  },
  moment("created", "Signed in", ({ created_at: at }) => at),
  moment("used", "Last used", ({ last_used_at: at }) => at, nowMs),
  moment("refreshed", "Refreshed", ({ refreshed_at: at }) => at, nowMs, true),
  moment("expires", "Expires", ({ expires_at: at }) => at, nowMs),
  ...(onEnd === null ? [] : [endColumn(onEnd)]),
];

const WHOSE: readonly Column<ClientSession>[] = [
  {
    id: "person",
    head: "Person",
    cell: ({ person_id: id, name, email }) => (
      <Link to="/people/$person" params={{ person: id }} title={email} className="text-accent underline">
        {name}
      </Link>
    ),
    sort: ({ name }) => name,
    plain: ({ email }) => email,
  },
  {
    id: "account",
    head: "Account",
    cell: ({ account_id: id, account }) => (
      <Link to="/accounts/$account" params={{ account: id }} className="hover:underline">
        <AccountName path={account} />
      </Link>
    ),
    sort: ({ account }) => account,
    plain: ({ account }) => account,
  },
];

const endColumn = (onEnd: (session: ClientSession) => void): Column<ClientSession> => ({
  id: "end",
  head: "Action",
  width: 84,
  align: "right",
  cell: (session) => (
    <Button
      look="quiet"
      className="h-7!"
      aria-label={`End the session of ${session.client}, ${session.email}`}
      onClick={() => onEnd(session)}
    >
      End
    </Button>
  ),
  plain: () => "",
});

function moment(
  id: string,
  head: string,
  of: (session: ClientSession) => string | null,
  nowMs?: number,
  hidden = false,
): Column<ClientSession> {
  const cell = (session: ClientSession): ReactNode => {
    const at = of(session);
    return at === null ? NOT_YET : <Moment atMs={Date.parse(at)} {...(nowMs !== undefined && { nowMs })} />;
  };
  const width = nowMs === undefined ? 168 : 104;
  return { id, head, width, cell, sort: of, plain: (session) => of(session) ?? "", ...(hidden && { hidden }) };
}
