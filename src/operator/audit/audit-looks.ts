import { Fault } from "../../core/fault.ts";
import type { AccountStore } from "../../ledger/structure/account.ts";
import type { FindKey } from "../../keys/find-key.ts";
import type { FindAccount } from "../find/find-account.ts";
import type { KeyDetails } from "../keys/keys.ts";
import type { Operator } from "../operator.ts";

/** Something as operators see it, without any secret. */
export type Looked = {
  /** Where it is not as was asked. */
  kind?: string;
  id: string;
  /** How people call it. */
  name: string;
  /** The accounts that it stands under, from the root down. */
  accountIds: readonly string[];
  view: object;
};

type Look = (name: string) => Promise<Looked | null>;

/** How each kind of thing is looked at before and after a change. It rejects, or is null, where nothing has that name. */
export type AuditLooks = Readonly<
  Record<
    | "account"
    | "key"
    | "holder"
    | "provider"
    | "model"
    | "catalogue"
    | "cost"
    | "request"
    | "notice"
    | "purse"
    | "ledger"
    | "person"
    | "token",
    Look
  >
>;

type Parts = {
  operator: Pick<Operator, "keys" | "providers" | "catalogue" | "notices" | "people">;
  findKey: FindKey;
  findAccount: FindAccount;
  accounts: Pick<AccountStore, "countersOf" | "countersOfKeys">;
};

export function createAuditLooks({ operator, findKey, findAccount, accounts }: Parts): AuditLooks {
  const account: Look = async (name) => {
    const { path, bucket: _bucket, sorted: _sorted, keys: _keys, ...row } = await findAccount(name);
    const counters = await accounts.countersOf([row.id]);
    return { id: row.id, name: row.title, accountIds: path, view: { ...row, counters } };
  };
  const key: Look = async (name) => {
    const { id, prefix, accounts: above } = await findKey(name);
    const [shown, counters] = await Promise.all([operator.keys.show(id), accounts.countersOfKeys([id])]);
    return { id, name: prefix, accountIds: above, view: { ...keyView(shown.key), secrets: shown.secrets, counters } };
  };
  return {
    account,
    key,
    holder: async (name) => {
      const counters = await operator.notices.thresholds({ name });
      const ofKey = await findKey(name).catch(missing);
      const { id, name: title, accountIds } = ofKey === null ? await known(account, name) : await known(key, name);
      return { kind: ofKey === null ? "account" : "key", id, name: title, accountIds, view: { thresholds: counters } };
    },
    provider: async (name) => ({ id: name, name, accountIds: [], view: await operator.providers.show(name) }),
    model: async (id) => ({ id, name: id, accountIds: [], view: await operator.catalogue.showModel(id) }),
    catalogue: bare,
    cost: bare,
    request: bare,
    notice: bare,
    purse: bare,
    ledger: bare,
    person: async (name) => {
      const { grants, accountId, ...person } = await operator.people.show(name);
      const home = accountId === null ? [] : [(await findAccount(accountId)).path];
      const accountIds = aboveAll([...home, ...grants.map(({ path }) => path ?? [])]);
      const roles = grants.map(({ path: _path, ...grant }) => grant);
      return { id: person.id, name: person.email, accountIds, view: { ...person, accountId, grants: roles } };
    },
    token: bare,
  };
}

/** The accounts above all of these places. A lead sees of a person what lies in the lead's accounts as a whole, here as in the list of people. */
const aboveAll = ([first = [], ...others]: readonly (readonly string[])[]): string[] =>
  first.filter((id) => others.every((path) => path.includes(id)));

/** Named one by one: a key knows more of itself than operators do. */
const keyView = (key: KeyDetails): KeyDetails => ({
  id: key.id,
  prefix: key.prefix,
  mode: key.mode,
  label: key.label,
  status: key.status,
  accountId: key.accountId,
  personId: key.personId,
  providerScope: key.providerScope,
  models: key.models,
  tiers: key.tiers,
  accountTiers: key.accountTiers,
  regions: key.regions,
  accountRegions: key.accountRegions,
  rpmLimit: key.rpmLimit,
  expiresAtMs: key.expiresAtMs,
  createdAtMs: key.createdAtMs,
});

/** What has no state of its own to look at. */
const bare: Look = (name) => Promise.resolve({ id: name, name, accountIds: [], view: {} });

const NOTHING: Look = () => Promise.resolve(null);
export const NO_LOOKS: AuditLooks = {
  account: NOTHING,
  key: NOTHING,
  holder: NOTHING,
  provider: NOTHING,
  model: NOTHING,
  catalogue: bare,
  cost: bare,
  request: bare,
  notice: bare,
  purse: bare,
  ledger: bare,
  person: NOTHING,
  token: bare,
};

async function known(look: Look, name: string): Promise<Looked> {
  const looked = await look(name);
  if (looked === null) throw new Fault("not_found", "Nothing has this name.");
  return looked;
}

function missing(error: unknown): null {
  if (error instanceof Fault && error.code === "not_found") return null;
  throw error;
}
