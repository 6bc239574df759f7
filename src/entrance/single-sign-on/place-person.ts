import type { By } from "../../core/people/by.ts";
import { Conflict } from "../../core/conflict.ts";
import type { MappedTeam } from "../../core/people/group-mapping.ts";
import type { AccountRow, AccountStore } from "../../ledger/structure/account.ts";
import type { Identity, IdentityStore } from "./identity.ts";

/** `proven`: the address is theirs, by the word of the provider or of the operator who trusts it. */
type Proof = { proven: boolean };

/** Gives somebody their account in a team, with its limit; what is so already stays. */
export type PlacePerson = ((identity: Identity, team: MappedTeam, their: Proof) => Promise<void>) & {
  /** Suspends their account, if it is of the kind `person`: its keys are refused from now on, and running streams are cut. */
  suspend: (identity: Identity) => Promise<void>;
};

type MonthlyLimit = { unit: "credit"; period: "month"; models: null };

/** What operators do with accounts, as far as it follows from groups. */
type ChangeAccounts = {
  create: (order: { name: string; parent: string; kind: "person" }, by: By) => Promise<{ id: string }>;
  update: (id: string, changes: { parent: string }, by: By) => Promise<unknown>;
  setLimit: (id: string, limit: MonthlyLimit & { amount: bigint }, by: By) => Promise<unknown>;
  removeLimit: (id: string, which: MonthlyLimit, by: By) => Promise<unknown>;
  changeStatus: (id: string, change: "suspend" | "resume", by: By) => Promise<unknown>;
};

type Parts = {
  accounts: ChangeAccounts;
  store: Pick<AccountStore, "byId" | "childNamed">;
  identities: Pick<IdentityStore, "find" | "placed" | "suspending" | "suspended" | "isTaken">;
  findAccount: (name: string) => Promise<AccountRow>;
};

/** What groups bring about is done by nobody in particular. */
const BY: By = { actor: "sso", via: "sso" };

export function createPlacePerson({ accounts, store, identities, findAccount }: Parts): PlacePerson {
  /** Whether groups led to it: what somebody else gave them holds keys and money of whoever gave it, which stay where they are. */
  const isOwn = async ({ id, kind }: AccountRow, { teamId, personId }: Identity): Promise<boolean> =>
    teamId !== null && kind === "person" && !(await identities.isTaken(id, personId));

  /** Theirs, or a new one; one that was made for their address before is taken, if it is theirs. Of several at once, one makes it. */
  async function accountOf(identity: Identity, team: AccountRow, { proven }: Proof): Promise<AccountRow> {
    const { accountId, personId, email } = identity;
    const theirs = accountId === null ? null : await store.byId(accountId);
    if (theirs !== null && theirs.status !== "closed") {
      if (theirs.path.includes(team.id) || identity.teamId === team.id) return theirs;
      // Elsewhere, it comes along or is not theirs any more: who is in this team is nobody's in another.
      if (await isOwn(theirs, identity)) return theirs;
    }
    try {
      return await findAccount((await accounts.create({ name: email, parent: team.id, kind: "person" }, BY)).id);
    } catch (error) {
      const there = error instanceof Conflict ? await store.childNamed(team.id, email) : null;
      if (there === null || (await identities.isTaken(there.id, personId))) throw error;
      if (proven || (await identities.find(identity))?.accountId === there.id) return there;
      throw new Conflict(
        `There is an account ${email} in ${team.title} already, and the identity provider does not say that it verified this address. Give the account to the person, or set sign_in.link_by_email to always.`,
      );
    }
  }

  async function place(identity: Identity, { account, monthly }: MappedTeam, their: Proof): Promise<void> {
    const team = await findAccount(account);
    const found = await accountOf(identity, team, their);
    const { id, kind, path, status } = found;
    const isMoved = identity.teamId !== null && identity.teamId !== team.id && path.at(-2) !== team.id;
    if (isMoved && (await isOwn(found, identity))) await accounts.update(id, { parent: team.id }, BY);
    // The limit is for one person: a team that is somebody's account has limits of its own.
    if (kind === "person") await limit(id, monthly, id === identity.accountId ? identity.monthly : null);
    if (identity.suspended && status === "suspended") await accounts.changeStatus(id, "resume", BY);
    const limited = kind === "person" ? monthly : null;
    await identities.placed(identity, { accountId: id, teamId: team.id, monthly: limited, suspended: false });
  }

  async function limit(id: string, monthly: bigint | null, before: bigint | null): Promise<void> {
    const which = { unit: "credit", period: "month", models: null } as const;
    if (monthly !== null && monthly !== before) await accounts.setLimit(id, { ...which, amount: monthly }, BY);
    if (monthly === null && before !== null) await accounts.removeLimit(id, which, BY);
  }

  return Object.assign(place, {
    suspend: async (identity: Identity) => {
      const theirs = identity.accountId === null ? null : await store.byId(identity.accountId);
      // A team that an operator gave them goes on without them.
      if (theirs?.kind === "person" && theirs.status === "active") {
        await identities.suspending(identity);
        await accounts.changeStatus(theirs.id, "suspend", BY);
      }
      await identities.suspended(identity);
    },
  });
}
