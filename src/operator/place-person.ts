import type { By } from "../core/by.ts";
import { Conflict } from "../core/conflict.ts";
import type { MappedTeam } from "../core/group-mapping.ts";
import type { AccountRow, AccountStore } from "../ledger/account.ts";
import type { Identity, IdentityStore } from "../people/identity.ts";
import type { ManageAccounts } from "./accounts.ts";
import type { FindAccount } from "./find-account.ts";

/** Gives somebody their account in a team, with its limit; what is so already stays. */
export type PlacePerson = ((identity: Identity, team: MappedTeam) => Promise<void>) & {
  /** Suspends their account: its keys are refused from now on, and running streams are cut. */
  suspend: (identity: Identity) => Promise<void>;
};

type Parts = {
  accounts: Pick<ManageAccounts, "create" | "move" | "setLimit" | "removeLimit" | "changeStatus">;
  store: Pick<AccountStore, "byId" | "childNamed">;
  identities: Pick<IdentityStore, "placed" | "suspending" | "suspended" | "isTaken">;
  findAccount: FindAccount;
};

/** What groups bring about is done by nobody in particular. */
const BY: By = { actor: "sso", via: "sso" };

export function createPlacePerson({ accounts, store, identities, findAccount }: Parts): PlacePerson {
  /** Theirs, or a new one; one that was made for them before is taken. Of several at once, one makes it. */
  async function accountOf({ accountId, personId, email }: Identity, team: AccountRow): Promise<string> {
    const theirs = accountId === null ? null : await store.byId(accountId);
    if (theirs !== null && theirs.status !== "closed") return theirs.id;
    try {
      return (await accounts.create({ name: email, parent: team.id, kind: "person" }, BY)).id;
    } catch (error) {
      const there = error instanceof Conflict ? await store.childNamed(team.id, email) : null;
      if (there === null || (await identities.isTaken(there.id, personId))) throw error;
      return there.id;
    }
  }

  async function place(identity: Identity, { account, monthly }: MappedTeam): Promise<void> {
    const team = await findAccount(account);
    const id = await accountOf(identity, team);
    const isMoved = identity.teamId !== null && identity.teamId !== team.id;
    if (isMoved && (await store.byId(id))?.path.at(-2) !== team.id) await accounts.move(id, team.id, BY);
    const limit = { unit: "credit", period: "month", models: null } as const;
    if (monthly !== null && monthly !== identity.monthly)
      await accounts.setLimit(id, { ...limit, amount: monthly }, BY);
    if (monthly === null && identity.monthly !== null) await accounts.removeLimit(id, limit, BY);
    if (identity.suspended && (await store.byId(id))?.status === "suspended")
      await accounts.changeStatus(id, "resume", BY);
    await identities.placed(identity, { accountId: id, teamId: team.id, monthly, suspended: false });
  }

  return Object.assign(place, {
    suspend: async (identity: Identity) => {
      const theirs = identity.accountId === null ? null : await store.byId(identity.accountId);
      if (theirs?.status === "active") {
        await identities.suspending(identity);
        await accounts.changeStatus(theirs.id, "suspend", BY);
      }
      await identities.suspended(identity);
    },
  });
}
