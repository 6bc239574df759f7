import type { LogRow } from "./log-row.ts";

/** Lines about what operators change. */
export const OPERATOR_LINES = {
  keyIssued: { message: "key issued", level: "info", meaning: "A key was created.", fix: null },
  keyStatusChanged: {
    message: "key status changed",
    level: "info",
    meaning: "A key was suspended, resumed, disabled, enabled or revoked; `status` is the new one.",
    fix: null,
  },
  keyChanged: { message: "key changed", level: "info", meaning: "`changed` names the fields.", fix: null },
  keyRotated: {
    message: "key rotated",
    level: "info",
    meaning: "The key has a new secret. Earlier ones work for `overlap_ms` more.",
    fix: null,
  },
  thresholdsSet: {
    message: "thresholds set",
    level: "info",
    meaning: "An operator changed when a limit or a purse is told about; `counters` are their ids.",
    fix: null,
  },
  noticesRetried: {
    message: "notices sent again",
    level: "info",
    meaning: "An operator had `notices` deliveries sent again that a webhook had not accepted within a day.",
    fix: null,
  },
  fundsBooked: {
    message: "funds booked",
    level: "info",
    meaning:
      "A top-up, grant, refund, adjustment or budget was booked: `amount`, in credits or tokens, and `reference`.",
    fix: null,
  },
  accountChanged: { message: "account changed", level: "info", meaning: "`change` says what was done.", fix: null },
  accountFunded: { message: "account funded", level: "info", meaning: "Credit was added to its purse.", fix: null },
  limitChanged: { message: "limit changed", level: "info", meaning: "`amount` is null if it was removed.", fix: null },
  closedPurseMoved: {
    message: "closed purse moved",
    level: "info",
    meaning: "What a closed purse had, `amount`, was moved to an open one; `purse` and `to` are their numbers.",
    fix: null,
  },
  holdReleased: {
    message: "hold released",
    level: "info",
    meaning: "A request in quarantine was ended.",
    fix: null,
  },
  requestCancelled: {
    message: "request cancelled",
    level: "info",
    meaning: "An operator ended a request in flight; `cancelled` is its id.",
    fix: null,
  },
  journalDayMoved: {
    message: "journal day moved",
    level: "info",
    meaning: "The journal of a day was moved into a partition of its own.",
    fix: null,
  },
  limitBroughtBack: {
    message: "limit brought back",
    level: "info",
    meaning:
      "A limit whose period was begun by a clock that was ahead is in the current period again. `counter` is its number.",
    fix: null,
  },
  ledgerAdopted: {
    message: "ledger adopted",
    level: "warn",
    meaning: "An operator made this database server the ledger's current one.",
    fix: "Make sure that the server before it is stopped.",
  },
  auditEndLost: {
    message: "audit end lost",
    level: "error",
    meaning:
      "An operator's change `action` was made or rejected, but its end could not be written to the audit log. The log shows its outcome as unknown.",
    fix: "Check the database. The change's own line in this log, or the resource itself, tells what became of it.",
  },
  verificationLost: {
    message: "verification not recorded",
    level: "warn",
    meaning:
      "The ledger was verified and its result was returned, but it could not be written to the table `verification`.",
    fix: "Check the database. Verify again to record a result.",
  },
  catalogueChanged: {
    message: "catalogue changed",
    level: "info",
    meaning: "Providers, models, prices or routes were changed; `named` lists the first 20.",
    fix: null,
  },
} as const satisfies Record<string, LogRow>;
