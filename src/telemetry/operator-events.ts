import type { By } from "../core/people/by.ts";
import { describeError } from "./log/describe-error.ts";
import { sayTo } from "./log/log-table.ts";
import type { Logger } from "./log/logger.ts";

/** What operators changed, through whichever door, and who it was. Each is one line of the log. */
export type OperatorEvents = {
  keyIssued: (key: KeyNote & { mode: string } & By) => void;
  /** A key was suspended, resumed, disabled, enabled or revoked. */
  keyStatusChanged: (key: KeyNote & { status: string } & By) => void;
  /** `changed` names what was changed of it. */
  keyChanged: (key: KeyNote & { changed: readonly string[] } & By) => void;
  /** A key got another secret; those before it work for `overlapMs` more. */
  keyRotated: (key: KeyNote & { overlapMs: number } & By) => void;
  /** Credit was booked or a budget set. `amount` is an exact decimal in the unit of the key. */
  fundsBooked: (booking: KeyNote & { kind: string; amount: string; reference: string } & By) => void;
  /** An account was created, renamed, moved, suspended, resumed, disabled, enabled or closed. */
  accountChanged: (account: AccountNote & { change: string } & By) => void;
  /** Credit was booked to an account's purse. */
  accountFunded: (booking: AccountNote & { kind: string; amount: string; reference: string } & By) => void;
  /** `amount` is an exact decimal in its unit; null: the limit was removed. */
  limitChanged: (limit: LimitNote & By) => void;
  /** What counters are watched for was changed. */
  thresholdsSet: (change: { counters: readonly number[] } & By) => void;
  /** Dead letters are sent again. */
  noticesRetried: (retry: { notices: number } & By) => void;
  /** What a closed purse had is in another now; `amount` is an exact decimal, `purse` and `to` are their numbers. */
  closedPurseMoved: (move: { purse: number; amount: string; to: number } & By) => void;
  /** A request that could not be ended was ended by an operator; `released` is its id. */
  holdReleased: (hold: { released: string; result: string } & By) => void;
  /** A request in flight was cancelled by an operator; `cancelled` is its id. */
  requestCancelled: (request: { cancelled: string } & By) => void;
  /** The days of the journal were given partitions of their own. */
  journalDayMoved: (day: { day: string; charges: number } & By) => void;
  /** The books are on this server now. */
  limitBroughtBack: (limit: { counter: number } & By) => void;
  booksAdopted: (server: { systemIdentifier: string; timeline: number } & By) => void;
  /** A change was made or refused, and the audit log has no end of it: there its outcome is unknown. */
  auditEndLost: (error: unknown, change: { action: string } & By) => void;
  /** The ledger was verified, and when and with what result is not written down. */
  verificationLost: (error: unknown, by: By) => void;
  /** A person was added, changed, removed, or signed in. */
  personChanged: (person: { personId: string; email: string; change: string } & By) => void;
  /** Nothing is said where nothing changed. */
  catalogueChanged: (change: { changes: readonly CatalogueNote[] } & By) => void;
};

type KeyNote = { keyId: string; prefix: string };
type AccountNote = { accountId: string; account: string };
type LimitNote = {
  holder: string;
  unit: string;
  period: string;
  models: readonly string[] | null;
  amount: string | null;
};

/** What became of a provider, a model, a price or a route. */
type CatalogueNote = { kind: string; name: string; change: string };

/** An import changes thousands of models; a line of the log stays a line. */
const NAMED_CHANGES = 20;

export function createOperatorEvents({ logger }: { logger: Pick<Logger, "info" | "warn" | "error"> }): OperatorEvents {
  const say = sayTo(logger);
  return {
    keyIssued: ({ mode, ...key }) => say("keyIssued", { ...keyOf(key), mode }),
    keyStatusChanged: ({ status, ...key }) => say("keyStatusChanged", { ...keyOf(key), status }),
    keyChanged: ({ changed, ...key }) => say("keyChanged", { ...keyOf(key), changed }),
    keyRotated: ({ overlapMs, ...key }) => say("keyRotated", { ...keyOf(key), overlap_ms: overlapMs }),
    fundsBooked: ({ kind, amount, reference, ...key }) =>
      say("fundsBooked", { ...keyOf(key), kind, amount, reference }),
    accountChanged: ({ change, ...account }) => say("accountChanged", { ...accountOf(account), change }),
    accountFunded: ({ kind, amount, reference, ...account }) =>
      say("accountFunded", { ...accountOf(account), kind, amount, reference }),
    limitChanged: ({ holder, unit, period, models, amount, ...by }) =>
      say("limitChanged", { ...whoOf(by), holder, unit, period, ...(models === null ? {} : { models }), amount }),
    thresholdsSet: ({ counters, ...by }) => say("thresholdsSet", { ...whoOf(by), counters }),
    noticesRetried: ({ notices, ...by }) => say("noticesRetried", { ...whoOf(by), notices }),
    closedPurseMoved: ({ purse, amount, to, ...by }) => say("closedPurseMoved", { ...whoOf(by), purse, amount, to }),
    holdReleased: ({ released, result, ...by }) => say("holdReleased", { ...whoOf(by), released, result }),
    requestCancelled: ({ cancelled, ...by }) => say("requestCancelled", { ...whoOf(by), cancelled }),
    journalDayMoved: ({ day, charges, ...by }) => say("journalDayMoved", { ...whoOf(by), day, charges }),
    limitBroughtBack: ({ counter, ...by }) => say("limitBroughtBack", { ...whoOf(by), counter }),
    booksAdopted: ({ systemIdentifier, timeline, ...by }) =>
      say("ledgerAdopted", { ...whoOf(by), system_identifier: systemIdentifier, timeline }),
    verificationLost: (error, by) => say("verificationLost", { ...whoOf(by), error: describeError(error) }),
    auditEndLost: (error, { action, ...by }) =>
      say("auditEndLost", { ...whoOf(by), action, error: describeError(error) }),
    personChanged: ({ personId, email, change, ...by }) =>
      say("personChanged", { ...whoOf(by), person_id: personId, email, change }),
    catalogueChanged: ({ changes, ...by }) => {
      if (changes.length === 0) return;
      const named = changes.slice(0, NAMED_CHANGES).map(({ kind, name, change }) => `${change} ${kind} ${name}`);
      say("catalogueChanged", { ...whoOf(by), changes: changes.length, named });
    },
  };
}

const whoOf = ({ actor, requestId }: By): object => ({ request_id: requestId, actor });
const accountOf = ({ accountId, account, ...by }: AccountNote & By): object => ({
  ...whoOf(by),
  account_id: accountId,
  account,
});
const keyOf = ({ keyId, prefix, ...by }: KeyNote & By): object => ({
  ...whoOf(by),
  key_id: keyId,
  key_prefix: prefix,
});
