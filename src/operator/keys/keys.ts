import { formatAmount } from "../../core/money/amount.ts";
import { type BudgetPeriod, DEFAULT_PERIOD } from "../../core/money/budget-period.ts";
import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { Conflict } from "../../core/conflict.ts";
import { Fault } from "../../core/fault.ts";
import type { NanoCredits } from "../../core/money/money.ts";
import { type OpeningFunds, openingReference } from "../../core/money/opening-funds.ts";
import { type Keyset, type Page, pageOf, readCursor, type SearchRequest, UUID } from "../../core/page.ts";
import type { StatusChange } from "../../core/people/status-change.ts";
import type { FindKey } from "../../keys/find-key.ts";
import type { IssueKey, KeyOrder } from "../../keys/issue-key.ts";
import type { Key, KeyChanges, KeySecret, KeyStore } from "../../keys/key.ts";
import type { CatalogueNames } from "../../catalogue/names-store.ts";
import { TRANSITIONS, WAY_OUT } from "../../keys/key-status.ts";
import { createSecret, digestOf, foreignProblem } from "../../keys/secret.ts";
import { type KeyState, stateOf } from "../../keys/usable.ts";
import type { AccountStore, KeyMoney } from "../../ledger/structure/account.ts";
import type { Structure } from "../../ledger/structure/structure.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import type { FindAccount } from "../find/find-account.ts";
import { modelsAfter, requireKnown } from "./key-restriction.ts";
import type { LimitHolder, LimitOrder, LimitRemoved, Limits, LimitSet, WhichLimit } from "../money/limits.ts";
import type { RequireGiven } from "../find/require-given.ts";
import { refusalOf } from "../structure-refusal.ts";

/** A key as operators see it. Its secret is not among what we know. */
export type KeyDetails = Pick<
  Key,
  | "id"
  | "prefix"
  | "mode"
  | "label"
  | "personId"
  | "providerScope"
  | "models"
  | "tiers"
  | "accountTiers"
  | "regions"
  | "accountRegions"
  | "rpmLimit"
  | "expiresAtMs"
  | "createdAtMs"
> & {
  status: KeyState;
  /** Null: it belongs to no account. */
  accountId: string | null;
};

/** A key in a list, with what it has left and has spent. */
export type ListedKey = KeyDetails & { money: KeyMoney };

export type SecretDetails = Pick<KeySecret, "prefix" | "createdAtMs" | "expiresAtMs"> & {
  status: "active" | "expired" | "withdrawn";
};

/** A new key is given credit or a budget, as its mode is, or neither. Without a period the budget is for a month. */
export type NewKeyOrder = Omit<KeyOrder, "funds" | "account"> & {
  /** The account that it belongs to; without one it is its own. */
  account?: string | null;
  credit: NanoCredits | null;
  budget: bigint | null;
  period: BudgetPeriod | null;
  /** A secret of another product that the key keeps, or its SHA-256; null: a secret is made. */
  existing: ExistingSecret | null;
};

/** The digest is a SHA-256 in hexadecimal. */
export type ExistingSecret = { secret: string } | { digest: string };

/** Models are set as a whole, where null lifts the restriction, or added to and removed from those the key lists. */
export type KeyUpdate = KeyChanges & { addModels?: readonly string[]; removeModels?: readonly string[] };

/** What operators do with keys. A key is named by its id or its prefix. */
export type ManageKeys = {
  /** The secret is null where the key keeps one that its holder has. */
  create: (order: NewKeyOrder, by: By) => Promise<{ key: KeyDetails; secret: string | null }>;
  /** Newest first. `search`: those whose label, prefix or id contains it, or whose account has it in its name. */
  list: (page: SearchRequest, by?: Pick<By, "within">) => Promise<Page<ListedKey>>;
  show: (name: string) => Promise<{ key: KeyDetails; secrets: readonly SecretDetails[] }>;
  /** `changed` is false when the key was in that state already. */
  changeStatus: (name: string, change: StatusChange, by: By) => Promise<{ key: KeyDetails; changed: boolean }>;
  update: (name: string, changes: KeyUpdate, by: By) => Promise<KeyDetails>;
  /** Adds a secret, shown this once; the others live on for the overlap. */
  rotate: (name: string, rotation: { overlapMs: number }, by: By) => Promise<RotatedKey>;
  /** To another account of its tree. */
  move: (name: string, account: string, by: By) => Promise<{ key: KeyDetails; changed: boolean }>;
  /** Takes a key that belongs to no account into one. It keeps its secrets. */
  adopt: (name: string, account: string, by: By) => Promise<{ key: KeyDetails; changed: boolean }>;
  setLimit: (name: string, order: LimitOrder, by: By) => Promise<LimitSet>;
  removeLimit: (name: string, which: WhichLimit, by: By) => Promise<LimitRemoved>;
};

export type RotatedKey = { key: KeyDetails; secret: string; secrets: readonly SecretDetails[] };

type Parts = {
  store: KeyStore;
  findKey: FindKey;
  issueKey: IssueKey;
  findAccount: FindAccount;
  accounts: Pick<AccountStore, "moneyOf" | "countersOfKeys">;
  structure: Pick<Structure, "moveKey" | "adoptKey">;
  limits: Limits;
  requireGiven: RequireGiven;
  readNames: () => Promise<CatalogueNames>;
  events: Pick<OperatorEvents, "keyIssued" | "keyStatusChanged" | "keyChanged" | "keyRotated" | "fundsBooked">;
  clock: Clock;
  /** Whether secrets of other products are taken. */
  acceptForeign: "on" | "off";
};

/** Ids begin with the time they were made, so their order is the order of age. */
const NEWEST_FIRST: Keyset = { list: "keys", values: [UUID] };

export const createManageKeys = (parts: Parts): ManageKeys => ({
  create: createKey(parts),
  list: listKeys(parts),
  show: async (name) => shown(parts, await parts.findKey(name)),
  changeStatus: changeStatus(parts),
  update: updateKey(parts),
  rotate: rotateKey(parts),
  move: (name, account, by) => placed(parts, { name, account, by, put: parts.structure.moveKey }),
  adopt: (name, account, by) => placed(parts, { name, account, by, put: parts.structure.adoptKey }),
  setLimit: async (name, order, by) => parts.limits.set(holderOf(await parts.findKey(name)), order, by),
  removeLimit: async (name, which, by) => parts.limits.remove(holderOf(await parts.findKey(name)), which, by),
});

const createKey =
  (parts: Parts): ManageKeys["create"] =>
  async (order, by) => {
    const { store, issueKey, findAccount, requireGiven, readNames, events, clock, acceptForeign } = parts;
    const { credit: _credit, budget: _budget, period: _period, existing, account = null, ...rest } = order;
    const funds = openingFunds(order);
    const digest = existing === null ? null : foreignDigest(existing, acceptForeign);
    await requireKnown(order, readNames);
    if (digest !== null) await requireUnused(store, digest);
    const home = account === null ? null : await findAccount(account);
    if (home?.status === "closed")
      throw refusalOf({
        result: "closed",
        counter: null,
        accountId: home.id,
        keyId: null,
        holders: [home.title],
        number: null,
      });
    if (funds?.kind === "budget") await requireGiven(home?.path ?? [], [{ unit: "tokens", models: null }], by);
    const issued = issueKey({ ...rest, account: home, funds }, by, digest);
    const { key, secret } = await issued.catch(async (error: unknown) => {
      // Somebody else may have kept the same secret meanwhile.
      if (digest !== null) await requireUnused(store, digest);
      throw error;
    });
    events.keyIssued({ ...noteOf(key), mode: key.mode, ...by });
    if (funds !== null)
      events.fundsBooked({ ...noteOf(key), ...bookingOf(funds), reference: openingReference(key.id), ...by });
    return { key: detailsOf(key, clock), secret };
  };

const listKeys =
  ({ store, accounts, clock }: Parts): ManageKeys["list"] =>
  async ({ limit, after, search = null }, { within } = {}) => {
    const [last] = readCursor(NEWEST_FIRST, after) ?? [];
    const rows = await store.list({
      limit: limit + 1,
      ...(last === undefined ? {} : { after: last }),
      ...(within === undefined ? {} : { within }),
      ...(search === null ? {} : { search }),
    });
    const { data, next } = pageOf(rows, { limit, list: NEWEST_FIRST.list, valuesOf: ({ id }) => [id] });
    const money = await accounts.moneyOf(data.map(({ id }) => id));
    return { data: data.flatMap((key) => listed(detailsOf(key, clock), money.get(key.id))), next };
  };

const changeStatus =
  ({ store, findKey, events, clock }: Parts): ManageKeys["changeStatus"] =>
  async (name, change, by) => {
    const { id } = await findKey(name);
    const { to } = TRANSITIONS[change];
    const changed = await store.changeStatus(id, TRANSITIONS[change]);
    const key = await findKey(id);
    if (!changed && key.status !== to) throw standsInTheWay(change, key);
    const details = detailsOf(key, clock);
    if (changed) events.keyStatusChanged({ ...noteOf(key), status: details.status, ...by });
    return { key: details, changed };
  };

const updateKey =
  ({ store, findKey, readNames, events, clock }: Parts): ManageKeys["update"] =>
  async (name, { addModels = [], removeModels = [], ...rest }, by) => {
    const before = await findKey(name);
    const models = modelsAfter(before, { ...rest, addModels, removeModels });
    const changes: KeyChanges = { ...rest, ...(models === undefined ? {} : { models }) };
    const listed = new Set(before.models);
    await requireKnown({ ...changes, models: models?.filter((id) => !listed.has(id)) ?? null }, readNames);
    // What was added and removed holds for the list as it was read.
    const relative = addModels.length + removeModels.length > 0;
    const changed = await store.update(before.id, changes, relative ? before.version : null);
    const key = await findKey(before.id);
    if (!changed && key.status !== "revoked") throw changedMeanwhile(key);
    if (!changed) throw standsInTheWay("change", key);
    events.keyChanged({ ...noteOf(key), changed: Object.keys(changes).map((name) => CHANGED[name] ?? name), ...by });
    return detailsOf(key, clock);
  };

const rotateKey =
  (parts: Parts): ManageKeys["rotate"] =>
  async (name, { overlapMs }, by) => {
    const { store, findKey, events } = parts;
    const key = await findKey(name);
    requireNoSession(key);
    const { secret, prefix } = createSecret(key.mode, key.bucket);
    const digest = Buffer.from(digestOf(secret), "base64url");
    const added = await store.addSecret(key.id, { digest, prefix, overlapMs });
    if (!added) throw standsInTheWay("rotate", await findKey(key.id));
    events.keyRotated({ keyId: key.id, prefix, overlapMs, ...by });
    return { ...(await shown(parts, await findKey(key.id))), secret };
  };

type Place = { name: string; account: string; by: By; put: Structure["moveKey"] };

async function placed({ findKey, findAccount, accounts, requireGiven, events, clock }: Parts, place: Place) {
  const { by } = place;
  const [found, to] = [await findKey(place.name), await findAccount(place.account)];
  requireNoSession(found);
  const { id } = found;
  const carried = await accounts.countersOfKeys([id]);
  await requireGiven(
    to.path,
    carried.filter(({ kind }) => kind === "limit"),
    by,
  );
  const done = await place.put(id, to.id);
  if (done.result !== "done" && done.result !== "already") throw refusalOf(done);
  const key = await findKey(id);
  const changed = done.result === "done";
  if (changed) events.keyChanged({ ...noteOf(key), changed: ["account"], ...by });
  return { key: detailsOf(key, clock), changed };
}

async function shown({ store, clock }: Parts, key: Key): Promise<{ key: KeyDetails; secrets: SecretDetails[] }> {
  const secrets = await store.secrets(key.id);
  return { key: detailsOf(key, clock), secrets: secrets.map((secret) => secretDetails(secret, clock.nowMs())) };
}

const detailsOf = ({ accountId, ...key }: Key, clock: Clock): KeyDetails => ({
  ...key,
  accountId: accountId === key.id ? null : accountId,
  status: stateOf({ ...key, accountId }, clock.nowMs()),
});

const holderOf = (key: Key): LimitHolder => ({
  of: { keyId: key.id },
  title: `Key ${key.prefix}…`,
  path: key.accounts,
});

/** Whatever became of the key it belongs to: a secret that was revoked stays so. */
async function requireUnused(store: KeyStore, digest: Buffer): Promise<void> {
  const keyId = await store.ownerOf(digest);
  if (keyId !== null)
    throw new Conflict(`A key has this secret already (id ${keyId}). A secret belongs to one key for good.`);
}

/** A client session has the account of its person, and tokens instead of a secret. */
function requireNoSession({ prefix, personId }: Key): void {
  if (personId !== null)
    throw new Conflict(`Key ${prefix}… is a client session of a person. End it with \`tollgate clients end\`.`);
}

/** One that was removed meanwhile is none. */
const listed = (key: KeyDetails, money: KeyMoney | undefined): ListedKey[] =>
  money === undefined ? [] : [{ ...key, money }];

const CHANGED: Readonly<Record<string, string>> = {
  rpmLimit: "rpm_limit",
  expiresAtMs: "expires_at",
  providerScope: "provider_scope",
};

const bookingOf = (funds: OpeningFunds): { kind: string; amount: string } =>
  funds.kind === "credit"
    ? { kind: "purchase", amount: formatAmount("credit", funds.amount) }
    : { kind: "budget", amount: formatAmount("tokens", funds.tokens) };

const noteOf = ({ id, prefix }: Key): { keyId: string; prefix: string } => ({ keyId: id, prefix });

function secretDetails({ prefix, createdAtMs, expiresAtMs, withdrawnAtMs }: KeySecret, nowMs: number): SecretDetails {
  const over = expiresAtMs !== null && expiresAtMs <= nowMs;
  return {
    prefix,
    createdAtMs,
    expiresAtMs,
    status: withdrawnAtMs !== null ? "withdrawn" : over ? "expired" : "active",
  };
}

export function openingFunds({ mode, credit, budget, period }: NewKeyOrder): OpeningFunds | null {
  if (mode === "credit") {
    if (budget !== null) throw refused("budget", "A credit key has no token budget. Set credit instead.");
    if (period !== null)
      throw refused("period", "A credit key has no token budget, so it has no period. Remove the period.");
    if (credit !== null && credit < 0n) throw refused("credit", "A key's starting credit can't be negative.");
    return credit === null || credit === 0n ? null : { kind: "credit", amount: credit };
  }
  if (credit !== null) throw refused("credit", "A token-budget key has no credit. Set a budget instead.");
  if (budget === null && period !== null) throw refused("period", "A period needs a budget. Set both.");
  return budget === null ? null : { kind: "budget", tokens: budget, period: period ?? DEFAULT_PERIOD };
}

function foreignDigest(existing: ExistingSecret, accept: "on" | "off"): Buffer {
  if (accept === "off") {
    throw refused(
      "existing_secret",
      "Secrets of other products are not accepted. Set keys.accept_foreign to on for the gateway and for this command.",
    );
  }
  if ("digest" in existing) return Buffer.from(existing.digest, "hex");
  const problem = foreignProblem(existing.secret);
  if (problem !== null) throw refused("existing_secret", `This secret can't be kept. ${problem}`);
  return Buffer.from(digestOf(existing.secret), "base64url");
}

const refused = (param: string, message: string): Fault => new Fault("invalid_request", message, { param });

const changedMeanwhile = ({ prefix }: Key): Conflict =>
  new Conflict(`key ${prefix}… was changed by another operator at the same time. Nothing was changed; try again.`);

const standsInTheWay = (wish: string, { prefix, status }: Key): Conflict =>
  new Conflict(`Can't ${wish} key ${prefix}…: it is ${status}. ${WAY_OUT[status]}`);
