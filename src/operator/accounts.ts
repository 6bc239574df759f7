import type { AccountChange } from "../core/people/account-change.ts";
import { formatAmount } from "../core/money/amount.ts";
import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { createId } from "../core/ids.ts";
import { invariant } from "../core/invariant.ts";
import { type Keyset, type Page, pageOf, readCursor, type SearchRequest, UUID } from "../core/page.ts";
import { randomBucket } from "../keys/secret.ts";
import type { AccountKey, AccountRow, AccountStore, HeldCounter } from "../ledger/structure/account.ts";
import type { FundFirst } from "../ledger/structure/fund-first.ts";
import type { CounterSummary, Ledger } from "../ledger/ledger.ts";
import type { AccountStatus, Changed, Structure } from "../ledger/structure/structure.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { bookingRefusal, checkAmount, checkReference } from "./money/booking.ts";
import type { FindAccount } from "./find/find-account.ts";
import type { TopUp } from "./money/funds.ts";
import {
  finish,
  type LimitHolder,
  type LimitOrder,
  type LimitRemoved,
  type Limits,
  type LimitSet,
  type WhichLimit,
} from "./money/limits.ts";
import type { RequireGiven } from "./find/require-given.ts";
import { refusalOf } from "./structure-refusal.ts";

/** An account as operators see it. */
export type AccountDetails = Omit<AccountRow, "path" | "bucket" | "sorted"> & {
  counters: readonly CounterSummary[];
};
export type AccountKeyDetails = AccountKey & { counters: readonly CounterSummary[] };

/** An account with all that is below it, each followed by its own. `more`: there is more than is shown. */
export type AccountTree = {
  account: AccountDetails;
  below: readonly AccountDetails[];
  keys: readonly AccountKeyDetails[];
  more: boolean;
};

/** Without a parent it is the root of a tree. */
export type NewAccount = { name: string; parent: string | null; kind: string };

export type AccountUpdate = { parent?: string; name?: string };

export type FundedAccount = {
  account: AccountDetails;
  /** `already`: this reference had been booked before, and nothing changed. */
  result: "funded" | "already";
  reference: string;
  counter: CounterSummary;
};

/** What operators do with accounts. An account is named by its id, or by the names from the root down: `Acme/Search`. */
export type ManageAccounts = {
  create: (order: NewAccount, by: By) => Promise<AccountDetails>;
  /** Those that are not closed, each followed by what is below it. `search`: those that have it in their name. */
  list: (page: SearchRequest, by?: Pick<By, "within">) => Promise<Page<AccountDetails>>;
  show: (name: string) => Promise<AccountTree>;
  /** Puts it and all below it under another, or renames it, or both at once. */
  update: (account: string, change: AccountUpdate, by: By) => Promise<AccountDetails>;
  changeStatus: (name: string, change: AccountChange, by: By) => Promise<{ account: AccountDetails; changed: boolean }>;
  /** For good, with all below it. */
  close: (name: string, by: By) => Promise<{ account: AccountDetails; changed: boolean }>;
  /** Into its purse, which it gets with the first. */
  topUp: (name: string, order: TopUp, by: By) => Promise<FundedAccount>;
  /** Which tiers its keys and those below may ask for; null: all that are sold. */
  setTiers: (
    name: string,
    tiers: readonly string[] | null,
    by: By,
  ) => Promise<{ account: AccountDetails; changed: boolean }>;
  /** In which regions requests of its keys and those below may run; null: anywhere. */
  setRegions: (
    name: string,
    regions: readonly string[] | null,
    by: By,
  ) => Promise<{ account: AccountDetails; changed: boolean }>;
  closePurse: (name: string, by: By) => Promise<{ account: AccountDetails; changed: boolean }>;
  setLimit: (name: string, order: LimitOrder, by: By) => Promise<LimitSet>;
  removeLimit: (name: string, which: WhichLimit, by: By) => Promise<LimitRemoved>;
};

type Parts = {
  store: AccountStore;
  structure: Structure;
  ledger: Pick<Ledger, "fund">;
  fundFirst: FundFirst;
  limits: Limits;
  requireGiven: RequireGiven;
  findAccount: FindAccount;
  events: Pick<OperatorEvents, "accountChanged" | "accountFunded">;
  clock: Pick<Clock, "nowMs">;
};

const MOST_SHOWN = 1_000;
const IN_ORDER: Keyset = { list: "accounts", values: [/^[^\0]{1,1000}$/su, UUID] };

/** From which state each change leads where. */
const STATUS: Record<AccountChange, { from: AccountStatus; to: AccountStatus }> = {
  suspend: { from: "active", to: "suspended" },
  resume: { from: "suspended", to: "active" },
  disable: { from: "active", to: "disabled" },
  enable: { from: "disabled", to: "active" },
};

export const createManageAccounts = (parts: Parts): ManageAccounts => ({
  create: createAccount(parts),
  list: listAccounts(parts),
  show: showTree(parts),
  update: updateAccount(parts),
  changeStatus: changeStatus(parts),
  close: async (name, by) => {
    const { id } = await parts.findAccount(name);
    return changed(parts, id, { done: await parts.structure.closeAccount(id), change: "closed", by });
  },
  setTiers: async (name, tiers, by) => {
    const { id } = await parts.findAccount(name);
    const done = await parts.structure.setTiers(id, tiers === null ? null : [...new Set(tiers)].toSorted());
    return changed(parts, id, { done, change: "tiers", by });
  },
  setRegions: async (name, regions, by) => {
    const { id } = await parts.findAccount(name);
    const done = await parts.structure.setRegions(id, regions === null ? null : [...new Set(regions)].toSorted());
    return changed(parts, id, { done, change: "regions", by });
  },
  topUp: topUp(parts),
  closePurse: async (name, by) => {
    const { id } = await parts.findAccount(name);
    const purse = await purseOf(parts, id);
    if (purse === undefined) return { account: await detailsAt(parts, id), changed: false };
    return changed(parts, id, { done: await parts.structure.closeCounter(purse.id), change: "purse closed", by });
  },
  setLimit: async (name, order, by) => parts.limits.set(holderOf(await parts.findAccount(name)), order, by),
  removeLimit: async (name, which, by) => parts.limits.remove(holderOf(await parts.findAccount(name)), which, by),
});

const createAccount =
  (parts: Parts): ManageAccounts["create"] =>
  async ({ name, parent, kind }, by) => {
    const above = parent === null ? null : await parts.findAccount(parent);
    const id = createId(parts.clock.nowMs());
    const order = { id, parentId: above?.id ?? null, name, kind, bucket: above?.bucket ?? randomBucket() };
    const done = await parts.structure.openAccount(order);
    return (await changed(parts, id, { done, change: "created", by })).account;
  };

const listAccounts =
  ({ store }: Parts): ManageAccounts["list"] =>
  async ({ limit, after, search = null }, { within } = {}) => {
    const [sorted, id] = readCursor(IN_ORDER, after) ?? [];
    const last = sorted === undefined || id === undefined ? null : { sorted, id };
    const rows = await store.list({ limit: limit + 1, after: last, within: within ?? null, search });
    const { data, next } = pageOf(rows, { limit, list: IN_ORDER.list, valuesOf: (row) => [row.sorted, row.id] });
    return { data: await detailsOf(store, data), next };
  };

const showTree =
  ({ store, findAccount }: Parts): ManageAccounts["show"] =>
  async (name) => {
    const { id } = await findAccount(name);
    const rows = await store.below(id, MOST_SHOWN + 1);
    const shown = rows.slice(0, MOST_SHOWN);
    const keys = await store.keysIn(
      shown.map((row) => row.id),
      MOST_SHOWN + 1,
    );
    const listed = keys.slice(0, MOST_SHOWN);
    const counters = Map.groupBy(await store.countersOfKeys(listed.map((key) => key.id)), ({ keyId }) => keyId);
    const [account, ...below] = await detailsOf(store, shown);
    invariant(account, "an account that was found is there");
    return {
      account,
      below,
      keys: listed.map((key) => ({ ...key, counters: counters.get(key.id) ?? [] })),
      more: rows.length > MOST_SHOWN || keys.length > MOST_SHOWN,
    };
  };

const updateAccount =
  (parts: Parts): ManageAccounts["update"] =>
  async (account, { parent, name }, by) => {
    const { store, structure, findAccount, requireGiven } = parts;
    const { id, parentId, name: before } = await findAccount(account);
    const above = parent === undefined ? null : await findAccount(parent);
    if (above !== null && by.within !== undefined) await requireGiven(above.path, await store.limitsBelow(id), by);
    const order = { ...(above !== null && { parentId: above.id }), ...(name !== undefined && { name }) };
    const isMoved = above !== null && above.id !== parentId;
    const change = [isMoved ? "moved" : [], name === undefined || name === before ? [] : "renamed"]
      .flat()
      .join(" and ");
    return (await changed(parts, id, { done: await structure.changeAccount(id, order), change, by })).account;
  };

const changeStatus =
  (parts: Parts): ManageAccounts["changeStatus"] =>
  async (name, change, by) => {
    const { id, status, title } = await parts.findAccount(name);
    const { from, to } = STATUS[change];
    if (status !== from && status !== to)
      throw new Conflict(
        `Can't ${change} account ${title}: it is ${status}. ${status === "closed" ? "This is final." : `Make it ${from} first.`}`,
      );
    return changed(parts, id, { done: await parts.structure.setStatus(id, to), change: to, by });
  };

const topUp =
  (parts: Parts): ManageAccounts["topUp"] =>
  async (name, { amount, kind, reference }, by) => {
    const { store, structure, ledger, fundFirst, findAccount, events } = parts;
    checkAmount(amount, kind);
    checkReference(reference);
    const { id, title } = await findAccount(name);
    const funding = { reference, kind, amount, actor: by.actor };
    const purse = await purseOf(parts, id);
    const funded =
      purse === undefined
        ? await fundFirst({ accountId: id }, funding)
        : { counter: purse.id, ...(await ledger.fund({ counter: purse.id, ...funding })) };
    if (funded.kind !== "funded" && funded.kind !== "already") {
      const booked = { counter: funded.counter, unit: "credit", holder: `Account ${title}`, reference } as const;
      throw await bookingRefusal(funded.kind, booked, store);
    }
    if (purse === undefined) await finish(structure);
    const booking = { kind, amount: formatAmount("credit", amount), reference };
    if (funded.kind === "funded") events.accountFunded({ accountId: id, account: title, ...booking, ...by });
    const counter = await store.counter(funded.counter ?? 0);
    invariant(counter, "a purse that was funded is there");
    return { account: await detailsAt(parts, id), result: funded.kind, reference, counter };
  };

type Done = { done: Changed; change: string; by: By };

/** Lets all keys below learn of it. */
async function changed(parts: Parts, id: string, { done, change, by }: Done) {
  if (done.result !== "done" && done.result !== "already") throw refusalOf(done);
  const isNew = done.result === "done";
  if (isNew) await finish(parts.structure);
  const account = await detailsAt(parts, id);
  if (isNew) parts.events.accountChanged({ accountId: id, account: account.title, change, ...by });
  return { account, changed: isNew };
}

async function detailsAt({ store, findAccount }: Parts, id: string): Promise<AccountDetails> {
  const [details] = await detailsOf(store, [await findAccount(id)]);
  invariant(details, "an account that was found is there");
  return details;
}

async function detailsOf(store: AccountStore, rows: readonly AccountRow[]): Promise<AccountDetails[]> {
  const counters = Map.groupBy(await store.countersOf(rows.map(({ id }) => id)), ({ accountId }) => accountId);
  return rows.map(({ path: _path, bucket: _bucket, sorted: _sorted, ...row }) => ({
    ...row,
    counters: counters.get(row.id) ?? [],
  }));
}

const purseOf = async ({ store }: Parts, accountId: string): Promise<HeldCounter | undefined> =>
  (await store.countersOf([accountId])).find(({ kind }) => kind === "purse");

const holderOf = ({ id, title, path }: AccountRow): LimitHolder => ({
  of: { accountId: id },
  title: `Account ${title}`,
  path,
});
