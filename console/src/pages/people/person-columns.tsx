import type { ReactNode } from "react";
import type { Person } from "../../api/generated/admin.ts";
import type { Column } from "../../table/column.ts";
import { momentColumn, textColumn } from "../../table/plain-columns.tsx";
import { Roles, rolesText, waysIn } from "./roles-text.tsx";

export const WaysIn = ({ of: person }: { of: Person }): ReactNode =>
  waysIn(person) === "" ? <span className="text-ink-3">nothing yet</span> : waysIn(person);

/** What may be cut where there is no room. */
const titled = (id: string, head: string, of: (person: Person) => string | null): Column<Person> =>
  textColumn(id, head, of, {
    cell: (person) => {
      const text = of(person);
      return text === null ? <span className="text-ink-3">none</span> : <span title={text}>{text}</span>;
    },
  });

export const personColumns = (nowMs: number): readonly Column<Person>[] => [
  titled("name", "Name", ({ name }) => name),
  titled("email", "Email", ({ email }) => email),
  textColumn("roles", "Roles", rolesText, { width: 320, cell: (person) => <Roles of={person} /> }),
  titled("account", "Account", ({ account }) => account),
  textColumn("ways", "Signs in with", waysIn, {
    width: 180,
    cell: (person) => <WaysIn of={person} />,
    plain: (person) => waysIn(person) || "nothing yet",
  }),
  momentColumn("seen", "Last seen", ({ last_seen_at: at }) => at, { nowMs, width: 104, align: "right" }),
  momentColumn("added", "Added", ({ created_at: at }) => at, { nowMs, width: 104, align: "right", hidden: true }),
  { id: "id", head: "Id", width: 280, hidden: true, cell: ({ id }) => id, plain: ({ id }) => id },
];
