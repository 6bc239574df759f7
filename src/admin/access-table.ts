import { ACCOUNT_CHANGES } from "../core/people/account-change.ts";
import { ROLES, type Role } from "../core/people/role.ts";
import { STATUS_CHANGES } from "../core/people/status-change.ts";

/** Where a request names what it touches. */
type Field = `params.${string}` | `query.${string}` | `body.${string}`;

/**
 * What an operation touches. `below`: it must be below the accounts that a lead has, not one of them: whoever gave the account sets its
 * limits. `optional`: nothing is touched where the field is absent. `never`: what a lead may not send. A holder is an account or a key.
 */
export type AccessSubject =
  | { account: Field; below?: true; optional?: true }
  | { key: Field; optional?: true }
  | { holder: Field; optional?: true }
  | { person: Field; optional?: true }
  | { never: Field };

/** Null: never for a lead. `filtered`: the handler gets `by.within` and leaves out the rest. Else what must lie in the lead's subtree. */
type Subtree = null | "filtered" | readonly AccessSubject[];

/** `anyone`: whoever has proved who they are, with or without a role. */
export type Access = { roles: readonly Role[] | "anyone"; subtree: Subtree };

const READ = ROLES;
const OWN = ["owner"] as const;
const CHANGE = ["owner", "operator"] as const;
const MONEY = ["owner", "operator", "billing"] as const;
/** Who handles money, and who checks it. */
const AUDITED_MONEY = ["owner", "operator", "billing", "auditor"] as const;
const AUDIT = ["owner", "operator", "auditor"] as const;

const ACCOUNT = { account: "params.account" } as const;
const BELOW = { account: "params.account", below: true } as const;
const PERSON = { person: "params.person" } as const;
const KEY = { key: "params.key" } as const;

const each = (names: readonly string[], access: Access): Record<string, Access> =>
  Object.fromEntries(names.map((name) => [name, access]));

/** Who may do what, by the id of the operation. What has no row is for the automation token alone. */
export const ACCESS: Readonly<Record<string, Access>> = {
  // Health and metrics say nothing of accounts, and much of the installation.
  readMetrics: { roles: READ, subtree: null },
  readAllMetrics: { roles: READ, subtree: null },
  listRouteHealth: { roles: READ, subtree: null },
  showStatus: { roles: READ, subtree: null },

  // The installation: addresses, paths and names of accounts at the identity provider.
  showSettings: { roles: CHANGE, subtree: null },
  examine: { roles: CHANGE, subtree: null },

  // Oneself.
  showSession: { roles: "anyone", subtree: null },
  signOut: { roles: "anyone", subtree: null },
  createToken: { roles: "anyone", subtree: null },
  listTokens: { roles: "anyone", subtree: null },
  revokeToken: { roles: "anyone", subtree: null },
  setPassword: { roles: "anyone", subtree: null },
  listOwnSessions: { roles: "anyone", subtree: null },
  endOwnSession: { roles: "anyone", subtree: null },
  endOtherSessions: { roles: "anyone", subtree: null },
  listOwnClientSessions: { roles: "anyone", subtree: null },
  endOwnClientSession: { roles: "anyone", subtree: null },

  // People. A lead who is an owner manages those who belong to their accounts alone, and grants roles there. No lead knows the password of
  // somebody else, who may get roles elsewhere later.
  createPerson: { roles: OWN, subtree: [{ account: "body.account", optional: true }, { never: "body.password" }] },
  listPeople: { roles: READ, subtree: "filtered" },
  showPerson: { roles: READ, subtree: [PERSON] },
  // Whoever has the address of somebody else keeps them from signing in.
  updatePerson: { roles: OWN, subtree: [PERSON, { never: "body.email" }] },
  removePerson: { roles: OWN, subtree: [PERSON] },
  setGrants: { roles: OWN, subtree: [PERSON] },
  changeGrants: { roles: OWN, subtree: [PERSON] },
  listSessions: { roles: ["owner", "auditor"], subtree: [PERSON] },
  endSessions: { roles: OWN, subtree: [PERSON] },
  endSession: { roles: OWN, subtree: [PERSON] },
  // A client session is a key of its person's account.
  listClientSessions: { roles: READ, subtree: "filtered" },
  endClientSessions: { roles: CHANGE, subtree: [PERSON] },
  endClientSession: { roles: CHANGE, subtree: [PERSON] },

  // Keys. A lead gives them no credit: it would be made out of nothing.
  createKey: { roles: CHANGE, subtree: [{ account: "body.account" }, { never: "body.credit" }] },
  listKeys: { roles: READ, subtree: "filtered" },
  showKey: { roles: READ, subtree: [KEY] },
  updateKey: { roles: CHANGE, subtree: [KEY] },
  rotateKey: { roles: CHANGE, subtree: [KEY] },
  moveKey: { roles: CHANGE, subtree: [KEY, { account: "body.account" }] },
  adoptKey: { roles: CHANGE, subtree: null },
  setKeyLimit: { roles: MONEY, subtree: [KEY] },
  removeKeyLimit: { roles: MONEY, subtree: [KEY] },
  ...each(
    STATUS_CHANGES.map((change) => `${change}Key`),
    { roles: CHANGE, subtree: [KEY] },
  ),

  // Accounts.
  createAccount: { roles: CHANGE, subtree: [{ account: "body.parent" }] },
  listAccounts: { roles: READ, subtree: "filtered" },
  showAccount: { roles: READ, subtree: [ACCOUNT] },
  updateAccount: { roles: CHANGE, subtree: [BELOW, { account: "body.parent", optional: true }] },
  topUpAccount: { roles: MONEY, subtree: null },
  setAccountLimit: { roles: MONEY, subtree: [BELOW] },
  removeAccountLimit: { roles: MONEY, subtree: [BELOW] },
  setAccountTiers: { roles: CHANGE, subtree: [BELOW] },
  setAccountRegions: { roles: CHANGE, subtree: [BELOW] },
  closeAccountPurse: { roles: MONEY, subtree: null },
  closeAccount: { roles: CHANGE, subtree: [BELOW] },
  ...each(
    ACCOUNT_CHANGES.map((change) => `${change}Account`),
    { roles: CHANGE, subtree: [BELOW] },
  ),

  // Money and the ledger.
  showFunds: { roles: READ, subtree: [KEY] },
  topUpKey: { roles: MONEY, subtree: null },
  setBudget: { roles: MONEY, subtree: [KEY] },
  showJournal: { roles: READ, subtree: [KEY] },
  showAccountJournal: { roles: READ, subtree: [ACCOUNT] },
  listProviderUsage: { roles: READ, subtree: null },
  reportAllUsage: { roles: READ, subtree: "filtered" },
  reportUsage: { roles: READ, subtree: [KEY] },
  reportAccountUsage: { roles: READ, subtree: [ACCOUNT] },
  showStatement: { roles: READ, subtree: [ACCOUNT] },
  // Costs and margins are of the whole installation.
  listCosts: { roles: AUDITED_MONEY, subtree: null },
  setCost: { roles: MONEY, subtree: null },
  showMargins: { roles: AUDITED_MONEY, subtree: null },
  showOutstanding: { roles: READ, subtree: "filtered" },
  moveClosedPurse: { roles: MONEY, subtree: null },
  verifyLedger: { roles: AUDIT, subtree: null },
  listVerifications: { roles: READ, subtree: null },
  listQuarantine: { roles: READ, subtree: null },
  releaseQuarantined: { roles: CHANGE, subtree: null },

  // Requests in flight.
  listLive: { roles: READ, subtree: "filtered" },
  watchLive: { roles: READ, subtree: "filtered" },
  cancelLive: { roles: CHANGE, subtree: "filtered" },

  // Finished requests.
  listRequests: { roles: READ, subtree: "filtered" },
  exportRequests: { roles: READ, subtree: "filtered" },
  showRequest: { roles: READ, subtree: "filtered" },
  readSeries: { roles: READ, subtree: "filtered" },
  exportSeries: { roles: READ, subtree: "filtered" },

  // The audit log.
  listAudit: { roles: AUDIT, subtree: "filtered" },
  exportAuditCsv: { roles: AUDIT, subtree: "filtered" },
  exportAuditNdjson: { roles: AUDIT, subtree: "filtered" },
  showAudit: { roles: AUDIT, subtree: "filtered" },

  // Notices.
  listNotices: { roles: READ, subtree: "filtered" },
  listEndpoints: { roles: READ, subtree: null },
  testNotices: { roles: CHANGE, subtree: null },
  retryNotices: { roles: CHANGE, subtree: null },
  showThresholds: { roles: READ, subtree: [{ holder: "query.name" }] },
  setThresholds: { roles: MONEY, subtree: [{ holder: "body.name" }] },

  // The catalogue. Leads see models and prices; addresses of providers and where their credentials are stay with the others.
  listProviders: { roles: READ, subtree: null },
  showProvider: { roles: READ, subtree: null },
  listProviderPresets: { roles: READ, subtree: null },
  addProvider: { roles: CHANGE, subtree: null },
  testProvider: { roles: CHANGE, subtree: null },
  rekeyProviders: { roles: CHANGE, subtree: null },
  removeProvider: { roles: CHANGE, subtree: null },
  listModels: { roles: READ, subtree: [] },
  showModel: { roles: READ, subtree: [] },
  listPrices: { roles: READ, subtree: [] },
  addModel: { roles: CHANGE, subtree: null },
  publishModels: { roles: CHANGE, subtree: null },
  unpublishModels: { roles: CHANGE, subtree: null },
  changePrice: { roles: CHANGE, subtree: null },
  removeRoute: { roles: CHANGE, subtree: null },
  acceptAlarm: { roles: CHANGE, subtree: null },
  withdrawAlarm: { roles: CHANGE, subtree: null },
  applyCatalogue: { roles: CHANGE, subtree: null },
  importModels: { roles: CHANGE, subtree: null },
  showPriceCheck: { roles: READ, subtree: null },
  importPriceList: { roles: CHANGE, subtree: null },
};

export const accessOf = (id: string): Access | null => (Object.hasOwn(ACCESS, id) ? (ACCESS[id] ?? null) : null);
