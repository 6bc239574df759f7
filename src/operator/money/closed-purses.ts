import { formatAmount, type Unit } from "../../core/money/amount.ts";
import type { By } from "../../core/people/by.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { AccountStore } from "../../ledger/structure/account.ts";
import type { ClosedPurses, MovedPurse } from "../../ledger/structure/closed-purse.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { type Holder, type HolderNames, type NamedHolder, nameHolder } from "../find/holder.ts";

/** What was moved out of a closed purse, and whose purse has it now. */
export type EmptiedPurse = NamedHolder & { purse: number; unit: Unit; amount: bigint };

/** What operators do with closed purses that were given back something. */
export type ManageClosedPurses = {
  /** Moves all that it has to the open purse that pays for its holder, or for another that is named. */
  move: (purse: number, to: Holder | null, by: By) => Promise<EmptiedPurse>;
};

type Parts = HolderNames & {
  closedPurses: Pick<ClosedPurses, "move">;
  accounts: Pick<AccountStore, "counter">;
  events: Pick<OperatorEvents, "closedPurseMoved">;
};

export const createManageClosedPurses = ({ closedPurses, accounts, events, ...names }: Parts): ManageClosedPurses => ({
  move: async (purse, to, by) => {
    const named = to === null ? null : await nameHolder(names, to);
    const target = named && (named.kind === "key" ? { keyId: named.id } : { accountId: named.id });
    const moved = await closedPurses.move({ from: purse, to: target, actor: by.actor });
    if (moved.kind !== "moved") throw refusalOf(moved.kind, purse);
    const { unit, amount } = moved;
    const counter = await accounts.counter(moved.to);
    invariant(counter, "the purse that it was moved to is there");
    const { keyId, accountId } = counter;
    const holder: Holder =
      accountId === null ? { kind: "key", name: keyId ?? "" } : { kind: "account", name: accountId };
    events.closedPurseMoved({ purse, amount: formatAmount(unit, amount), to: moved.to, ...by });
    return { ...(await nameHolder(names, holder)).named, purse, unit, amount };
  },
});

function refusalOf(kind: Exclude<MovedPurse["kind"], "moved">, purse: number): Error {
  switch (kind) {
    case "unknown_counter":
      return new Fault("not_found", `There is no purse ${purse}. \`tollgate ledger outstanding\` lists closed purses.`);
    case "not_closed":
      return new Conflict(`Purse ${purse} is not closed. Nothing was moved. Use a top-up of kind \`adjust\`.`);
    case "empty":
      return new Conflict(`Closed purse ${purse} has nothing. Nothing was moved.`);
    case "no_purse":
    default:
      return new Conflict(
        `No open purse pays for the holder. Nothing was moved. Name a key or account whose purse is to have the amount: --to-key or --to-account, or \`to_key\` or \`to_account\` in the API.`,
      );
  }
}
