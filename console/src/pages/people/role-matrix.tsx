import { type ReactNode, useMemo } from "react";
import { AREAS, OPERATIONS } from "../../api/generated/operations.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Operation } from "../../shell/may.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { ROLE_WORDS, ROLES } from "./roles-text.tsx";

type Role = (typeof ROLES)[number];
type Row = { id: string; name: string; about: string; allowed: Record<Role, string>; leads: string };

/** What each role may do: by area first, and opened, operation by operation. As the gateway decides it. */
export function RoleMatrix(): ReactNode {
  const {
    own: { area },
    changeOwn,
  } = useOwnSearch("/shell/people");
  const rows = useMemo(() => (area === undefined ? areas() : operationsOf(area)), [area]);
  return (
    <DataTable
      key={area}
      label={area === undefined ? "What may each role do?" : `What may each role do: ${area}`}
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      onOpen={area === undefined ? ({ id }) => changeOwn({ area: id }) : undefined}
      height={560}
      shown={rows.length === 0 ? { kind: "empty", title: `There is no area “${area}”` } : { kind: "ready" }}
      tools={area !== undefined && <Button onClick={() => changeOwn({ area: undefined })}>All areas</Button>}
    />
  );
}

const rolesOf = ({ roles }: Operation): readonly string[] | "anyone" => roles;
const isFor = (role: Role, operation: Operation): boolean => {
  const roles = rolesOf(operation);
  return roles === "anyone" || roles.includes(role);
};

const recordOf = (of: (role: Role) => string): Record<Role, string> =>
  Object.fromEntries(ROLES.map((role) => [role, of(role)])) as Record<Role, string>;

function areas(): Row[] {
  const names = [...new Set<string>(OPERATIONS.map(({ area }) => area))];
  return names.map((name) => {
    const own: Operation[] = OPERATIONS.filter(({ area }) => area === name);
    const led = own.filter((operation) => operation.leads || rolesOf(operation) === "anyone").length;
    return {
      id: name,
      name,
      about: AREAS[name] ?? "",
      allowed: recordOf((role) => sumUp(own, role)),
      leads: led === 0 ? NO : led === own.length ? YES : "some",
    };
  });
}

const YES = "yes";
const NO = "no";

/** All of it, what only reads, or some of it. */
function sumUp(own: readonly Operation[], role: Role): string {
  const allowed = own.filter((operation) => isFor(role, operation));
  if (allowed.length === 0) return NO;
  if (allowed.length === own.length) return YES;
  return allowed.some(({ changes }) => changes) ? `${allowed.length} of ${own.length}` : "read";
}

const operationsOf = (area: string): Row[] =>
  OPERATIONS.filter((operation) => operation.area === area).map((operation) => ({
    id: operation.id,
    name: operation.summary,
    about: "",
    allowed: recordOf((role) => (isFor(role, operation) ? YES : NO)),
    leads: operation.leads || rolesOf(operation) === "anyone" ? YES : NO,
  }));

const Cell = ({ says }: { says: string }): ReactNode => {
  if (says === NO) return <span className="text-ink-3">no</span>;
  if (says !== YES) return <span className="text-ink-2">{says}</span>;
  return (
    <span className="inline-flex items-center gap-1 text-good">
      <Icon name="check" size={14} /> yes
    </span>
  );
};

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "name",
    head: "What",
    cell: ({ name, about }) => (
      <span title={`${name} ${about}`.trim()}>
        {name} {about !== "" && <span className="ml-1 text-ink-3">{about}</span>}
      </span>
    ),
    sort: ({ name }) => name,
    plain: ({ name }) => name,
  },
  ...ROLES.map((role) => ({
    id: role,
    head: role,
    width: 96,
    cell: ({ allowed }: Row): ReactNode => (
      <span title={`${role}: ${ROLE_WORDS[role]}`}>
        <Cell says={allowed[role]} />
      </span>
    ),
    plain: ({ allowed }: Row) => allowed[role],
  })),
  {
    id: "leads",
    head: "Role for an account is enough",
    width: 208,
    cell: ({ leads }) => <Cell says={leads} />,
    plain: ({ leads }) => leads,
  },
];
