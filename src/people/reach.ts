import type { Role } from "../core/people/role.ts";
import type { HeldGrant } from "./person.ts";

/** Where somebody may do a thing: everywhere, below these accounts, or (null) nowhere. */
export type RoleReach = "everywhere" | readonly string[] | null;

/** What a token was narrowed to: a role, and an account by its path from the root down. */
type Narrowing = { role: Role | null; path: readonly string[] | null };

/** What their grants allow, of which a token allows what it was narrowed to. */
export function reachOf(
  { grants, token }: { grants: readonly HeldGrant[]; token: Narrowing | null },
  roles: readonly Role[],
): RoleReach {
  if (token?.role && !roles.includes(token.role)) return null;
  const fitting = grants.filter(({ role }) => roles.includes(role));
  if (fitting.length === 0) return null;
  const account = token?.path?.at(-1);
  const isEverywhere = fitting.some(({ accountId }) => accountId === null);
  if (account === undefined)
    return isEverywhere ? "everywhere" : [...new Set(fitting.flatMap(({ accountId }) => accountId ?? []))];
  // The token's account is below one of theirs, or some of theirs are below it.
  if (isEverywhere || fitting.some(({ accountId }) => token?.path?.includes(accountId ?? ""))) return [account];
  const below = fitting.filter(({ path }) => path?.includes(account)).flatMap(({ accountId }) => accountId ?? []);
  return below.length === 0 ? null : [...new Set(below)];
}
