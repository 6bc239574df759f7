import type { MoneyAlarmKind } from "../../core/money/money-alarm.ts";

/** What to do about each kind of money alarm. */
export const ALARM_FIXES: Record<MoneyAlarmKind, string> = {
  usage_estimated:
    "The provider sent no usage, or impossible usage, so our own count was charged. Check the provider; set the model's token_factor.",
  overrun:
    "The charge was larger than the key's balance, or tools ran more often than the provider was told they may, and the operator absorbed the rest. The provider ignores a limit, or the model's token_factor, search_tokens or search_calls is too low.",
  unpriced_usage:
    "The provider billed something unasked that has no price in the catalogue, named in `part`. It was charged at the nearest price, a tool call at none; add its own.",
  served_otherwise:
    "The answer names, in `part`, a tier or a region that the price has no line for or that is dearer than what was asked for, or another model that did a part of the work. It was charged as what was asked for. Add a line for it to the price, or change the default in the provider's account.",
  billed_more:
    "The provider says, in `part`, that it bills more dollars for the answer than was charged at `credit_usd`: you sold it at a loss. Compare its price list with yours: `tollgate models import … --diff`.",
  key_suspended:
    "The key, or the person who uses it, cost the operator more than ledger.write_off_cap within an hour, or its account more than ledger.account_write_off_factor times as much. Talk to its holder, then run `tollgate keys resume KEY`; a session resumes every session of its person.",
  release_lost:
    "A void or a late charge was given up after ledger.void_timeout_ms. The sweep ends the hold; act only if it repeats.",
  hold_quarantined: "Run `tollgate ledger quarantine list`; it says what to do.",
  period_ahead:
    "The period of the limit in `counter` was begun by a database clock that was ahead, so its requests get 503. Check the clock of the database server, then run `tollgate ledger periods`.",
};
