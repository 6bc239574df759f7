import type { NanoCredits } from "../money/money.ts";
import { creditsOf } from "../money/read-credits.ts";
import { type Role, ROLES } from "./role.ts";

/** What the members of a group get. An account is named by its id, or by the names from the root down. */
export type MappedRole = { role: Role; account: string | null };
export type MappedTeam = { account: string; monthly: NanoCredits | null };
export type GroupMapping = { group: string; roles: readonly MappedRole[]; team: MappedTeam | null };

/** Everybody whom the identity provider knows is in it. */
export const EVERYBODY = "*";

const MOST_GROUPS = 200;
const ROLE = new RegExp(`^(${ROLES.join("|")})(?: at (\\S.*))?$`);
const TEAM = /^member of (\S.*?)(?: with (\S+) per month)?$/;

/**
 * Reads `GROUP -> ROLE`, `GROUP -> ROLE at ACCOUNT` and `GROUP -> member of ACCOUNT with 50 per month`, one on each line or separated by
 * semicolons; a group may get several, separated by commas. Null when it is nothing of the kind.
 */
export function readGroupMappings(text: string): GroupMapping[] | null {
  const lines = text
    .split(/[;\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const mappings = lines.map(readMapping);
  if (mappings.length > MOST_GROUPS || mappings.some((mapping) => mapping === null)) return null;
  const read = mappings.filter((mapping) => mapping !== null);
  return new Set(read.map(({ group }) => group)).size === read.length ? read : null;
}

function readMapping(line: string): GroupMapping | null {
  const cut = line.lastIndexOf("->");
  const group = line.slice(0, Math.max(cut, 0)).trim();
  const given = line.slice(cut + 2).split(",");
  const roles: MappedRole[] = [];
  const teams: MappedTeam[] = [];
  for (const part of given) {
    const [, role, at] = ROLE.exec(part.trim()) ?? [];
    const [, account, limit] = TEAM.exec(part.trim()) ?? [];
    const monthly = limit === undefined ? null : creditsOf(limit);
    if (role !== undefined) roles.push({ role: role as Role, account: at ?? null });
    else if (account !== undefined && (limit === undefined || (monthly ?? -1n) >= 0n)) teams.push({ account, monthly });
    else return null;
  }
  return group === "" || teams.length > 1 ? null : { group, roles, team: teams[0] ?? null };
}
