import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { pagesOf } from "../../api/query.ts";
import type { Person } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useMay } from "../../shell/may.ts";
import { useNow, useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { AddPersonDialog } from "./add-person-dialog.tsx";
import { personColumns } from "./person-columns.tsx";
import { RoleMatrix } from "./role-matrix.tsx";
import { ROLES, rolesText } from "./roles-text.tsx";

const PAGE = 500;

/** Everybody who operates the gateway, and what each role may do. */
export function People(): ReactNode {
  const navigate = useNavigate();
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const {
    own: { find, role },
    changeOwn,
  } = useOwnSearch("/shell/people");
  const people = useInfiniteQuery(pagesOf("GET /admin/v1/people", { query: { limit: PAGE } }));
  const nowMs = useNow(60_000);
  const all = useMemo(() => people.data?.pages.flatMap(({ data }) => data) ?? [], [people.data]);
  const rows = useMemo(() => all.filter((person) => isFound(person, find, role)), [all, find, role]);
  const columns = useMemo(() => personColumns(nowMs), [nowMs]);
  const shown = shownOf(people, rows.length > 0 ? null : all.length > 0 ? NOBODY_FOUND : NOBODY);
  return (
    <div className="flex flex-col gap-4">
      <DataTable
        label="People"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/people/$person", params: { person: id } })}
        height={560}
        shown={
          people.hasNextPage && shown.kind === "ready"
            ? {
                kind: "too-many",
                note: `The first ${groupDigits(all.length)} by email are read. Sorting, finding and the file have these alone.`,
              }
            : shown
        }
        tools={
          <>
            {people.hasNextPage && (
              <Button busy={people.isFetchingNextPage} onClick={() => void people.fetchNextPage()}>
                Load {PAGE} more
              </Button>
            )}
            <FindInput
              label="Find a person by name, email or account"
              value={find}
              onFind={(text) => changeOwn({ find: text })}
            />
            <select
              aria-label="Role"
              value={role ?? ""}
              onChange={({ target }) => changeOwn({ role: target.value || undefined })}
              className={`${INPUT} w-auto!`}
            >
              <option value="">any role</option>
              {ROLES.map((one) => (
                <option key={one}>{one}</option>
              ))}
              <option value="none">no role</option>
            </select>
            {may("createPerson") && (
              <Button look="primary" aria-label="Add a person" onClick={() => setAdding(true)}>
                <span>
                  Add<span className="max-sm:hidden"> a person</span>
                </span>
              </Button>
            )}
          </>
        }
      />
      <RoleMatrix />
      {isAdding && <AddPersonDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

const NOBODY = {
  title: "Nobody is listed here",
  hint: "You see people whose accounts and roles all lie where your role holds. Add one with “Add a person”, or with a command:",
  command: "tollgate people add ann@acme.example --role viewer --password",
};
const NOBODY_FOUND = { title: "Nobody matches", hint: "Search for a part of a name, an email or an account." };

function isFound(person: Person, find: string | undefined, role: string | undefined): boolean {
  const text = `${person.name} ${person.email} ${person.account ?? ""} ${rolesText(person)}`.toLowerCase();
  const has =
    role === undefined ||
    (role === "none" ? person.grants.length === 0 : person.grants.some((grant) => grant.role === role));
  return has && text.includes((find ?? "").toLowerCase());
}
