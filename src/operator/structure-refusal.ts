import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import type { Changed, StructureRefusal } from "../ledger/structure/structure.ts";

const MOST_LEVELS = 4;
const MOST_COUNTERS = 8;

type Said = { holders: readonly string[]; number: number; all: string };

/** Why a change of the structure was refused, and the way out. Nothing was changed. */
const REFUSALS: Record<StructureRefusal, (said: Said) => string> = {
  unknown_account: () => "There is no such account. List the accounts: tollgate accounts list",
  unknown_key: () => "There is no such key.",
  unknown_counter: () => "There is no such purse or limit.",
  id_taken: () => "Another account has this id. Try again.",
  name_taken: ({ all }) => `There is an account ${all} already. Choose another name.`,
  too_deep: ({ all, number }) =>
    `Accounts would be ${number} deep below ${all}; the limit is ${MOST_LEVELS}. Choose a place nearer to the root.`,
  closed: ({ all }) => `Account ${all} is closed, which is final. Use another account.`,
  into_itself: ({ all }) => `Account ${all} is below the one you want to move. Choose a place outside of it.`,
  other_bucket: ({ all }) =>
    `The tree of ${all} is stored elsewhere, and accounts can't move between the two. Create the account there and give its keys out anew.`,
  other_tree: ({ holders: [from = "", to = ""] }) =>
    `The key belongs to ${from}, and keys don't move to ${to}, which is another tree. Create a new key there.`,
  funded: ({ all }) =>
    `The purse of ${all} is not empty. Take out the rest first, with a top-up of kind adjust and a negative amount.`,
  held: ({ all }) => `Requests of ${all} are in progress. Try again when they have ended.`,
  exists: ({ all }) => `${capital(all)} has this already.`,
  second_purse: ({ holders, number }) =>
    `${holders.join(" and ")} would both pay for the same requests: ${number} purses on one path, and the limit is 1. Use a limit for one of them, or empty and close its purse.`,
  too_many_counters: ({ all, number }) =>
    `Requests of ${all} would count against ${number} purses and limits; the limit is ${MOST_COUNTERS}. Remove a limit on the way up first.`,
  lone: ({ all }) => `${capital(all)} belongs to no account. Bring it into one: tollgate keys adopt`,
  not_lone: ({ all }) => `The key belongs to account ${all} already. Move it within its tree: tollgate keys move`,
  revoked: ({ all }) => `${capital(all)} is revoked, which is final. Create a new key.`,
  no_counter: ({ all }) =>
    `Nothing there counts ${all === "credit" ? "credits" : all}, which the key pays in. Give the account a purse or a limit in ${all === "credit" ? "credits" : all} first.`,
};

const UNKNOWN: ReadonlySet<string> = new Set<StructureRefusal>(["unknown_account", "unknown_key", "unknown_counter"]);

export function refusalOf({ result, holders, number }: Changed): Error {
  if (result === "done" || result === "already") throw new TypeError(`${result} is no refusal`);
  const message = REFUSALS[result]({ holders, number: number ?? 0, all: holders.join(", ") });
  return UNKNOWN.has(result) ? new Fault("not_found", message) : new Conflict(message);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
