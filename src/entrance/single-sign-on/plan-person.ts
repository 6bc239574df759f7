import { EVERYBODY, type GroupMapping, type MappedRole, type MappedTeam } from "../../core/people/group-mapping.ts";

/** What a person gets from the groups they are in. */
export type PersonPlan = { roles: readonly MappedRole[]; team: MappedTeam | null };

/** Null: they are in no group of the mapping, so there is no place for them. Of several teams the first in the mapping counts. */
export function planPerson(groups: readonly string[], mappings: readonly GroupMapping[]): PersonPlan | null {
  const theirs = new Set([...groups, EVERYBODY]);
  const mine = mappings.filter(({ group }) => theirs.has(group));
  if (mine.length === 0) return null;
  const roles = new Map(
    mine.flatMap((mapping) => mapping.roles).map((given) => [JSON.stringify([given.role, given.account]), given]),
  );
  return { roles: [...roles.values()], team: mine.find(({ team }) => team !== null)?.team ?? null };
}
