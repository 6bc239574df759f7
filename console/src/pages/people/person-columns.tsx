import type { ReactNode } from "react";
import type { Person } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import type { Column } from "../../table/column.ts";
import { Roles, rolesText, waysIn } from "./roles-text.tsx";

const NEVER = <span className="text-ink-3">never</span>;

export const WaysIn = ({ of: person }: { of: Person }): ReactNode =>
  waysIn(person) === "" ? <span className="text-ink-3">nothing yet</span> : waysIn(person);

export const personColumns = (nowMs: number): readonly Column<Person>[] => [
  {
    id: "name",
    head: "Name",
    cell: ({ name }) => <span title={name}>{name}</span>,
    sort: ({ name }) => name,
    plain: ({ name }) => name,
  },
  {
    id: "email",
    head: "Email",
    cell: ({ email }) => <span title={email}>{email}</span>,
    sort: ({ email }) => email,
    plain: ({ email }) => email,
  },
  {
    id: "roles",
    head: "Roles",
    width: 320,
    cell: (person) => <Roles of={person} />,
    sort: rolesText,
    plain: rolesText,
  },
  {
    id: "account",
    head: "Account",
    cell: ({ account }) =>
      account === null ? <span className="text-ink-3">none</span> : <span title={account}>{account}</span>,
    sort: ({ account }) => account,
    plain: ({ account }) => account ?? "",
  },
  {
    id: "ways",
    head: "Signs in with",
    width: 180,
    cell: (person) => <WaysIn of={person} />,
    sort: waysIn,
    plain: (person) => waysIn(person) || "nothing yet",
  },
  {
    id: "seen",
    head: "Last seen",
    width: 104,
    align: "right",
    cell: ({ last_seen_at: at }) => (at === null ? NEVER : <Moment atMs={Date.parse(at)} nowMs={nowMs} />),
    sort: ({ last_seen_at: at }) => at,
    plain: ({ last_seen_at: at }) => at ?? "",
  },
  {
    id: "added",
    head: "Added",
    width: 104,
    align: "right",
    hidden: true,
    cell: ({ created_at: at }) => <Moment atMs={Date.parse(at)} nowMs={nowMs} />,
    sort: ({ created_at: at }) => at,
    plain: ({ created_at: at }) => at,
  },
  { id: "id", head: "Id", width: 280, hidden: true, cell: ({ id }) => id, plain: ({ id }) => id },
];
