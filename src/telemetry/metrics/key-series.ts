import { Counter, type Registry } from "@prometheus-io/client";
import type { Unit } from "../../core/money/amount.ts";
import { COUNTERS, type MetricRow } from "./metric-table.ts";
import { countable } from "./tally.ts";

/** Whose request it was and what it cost; the unit is null when no model was found, and nothing was charged then. */
export type KeyCharge = {
  prefix: string;
  /** The id of the account it belongs to; null: it is its own. */
  account: string | null;
  unit: Unit | null;
  charged: bigint;
};

type CountedRequest = {
  key: KeyCharge | null;
  status: number;
  /** Set where the response was an error, also after a status of 200. */
  code: string | null;
  inputTokens: number;
  outputTokens: number;
};

const OTHER = "other";
const NANO = 1e9;

/** What one key did since the last scrape. */
const nothing = () => ({ ok: 0, rejected: 0, failed: 0, input: 0, output: 0, nanoCredits: 0, tokens: 0 });
type Since = ReturnType<typeof nothing>;

/**
 * Counts requests by key: the first `limit` keys under their prefixes, the rest as `other`, so that series cannot grow without end.
 * What was charged is counted by account, too, in the same way.
 * Plain numbers are added, and the library is told when somebody asks. What was charged may be rounded: the ledger is exact.
 */
export function createKeySeries(limit: number, registry: Registry): (request: CountedRequest) => void {
  const other = nothing();
  const keys = new Map<string, Since>([[OTHER, other]]);
  const accounts = new Map<string, { nanoCredits: number }>([[OTHER, { nanoCredits: 0 }]]);
  const counters = {
    requests: createCounter(COUNTERS.keyRequests, tell),
    tokens: createCounter(COUNTERS.keyTokens, tell),
    credits: createCounter(COUNTERS.chargedCredits, tell),
    budget: createCounter(COUNTERS.chargedTokens, tell),
    accounts: createCounter(COUNTERS.accountCredits, tell),
  };
  for (const counter of Object.values<Counter>(counters)) registry.registerMetric(counter);

  /** Called for each of them; the first tells all. */
  function tell(): void {
    for (const [key, since] of keys) {
      for (const result of ["ok", "rejected", "failed"] as const) counters.requests.inc({ key, result }, since[result]);
      for (const direction of ["input", "output"] as const) counters.tokens.inc({ key, direction }, since[direction]);
      counters.credits.inc({ key }, since.nanoCredits / NANO);
      counters.budget.inc({ key }, since.tokens);
      Object.assign(since, nothing());
    }
    for (const [account, since] of accounts) {
      counters.accounts.inc({ account }, since.nanoCredits / NANO);
      since.nanoCredits = 0;
    }
  }

  const countForAccount = (account: string, nanoCredits: number): void => {
    const name = accounts.has(account) || accounts.size <= limit ? account : OTHER;
    const since = accounts.get(name) ?? { nanoCredits: 0 };
    since.nanoCredits += nanoCredits;
    accounts.set(name, since);
  };

  const sinceOf = (prefix: string): Since => {
    const known = keys.get(prefix);
    if (known !== undefined) return known;
    if (keys.size > limit) return other;
    const since = nothing();
    keys.set(prefix, since);
    return since;
  };

  return ({ key, status, code, inputTokens, outputTokens }) => {
    if (key === null) return;
    const since = sinceOf(key.prefix);
    if (status >= 500 || (status < 400 && code !== null)) since.failed++;
    else if (status >= 400) since.rejected++;
    else since.ok++;
    if (countable(inputTokens)) since.input += inputTokens;
    if (countable(outputTokens)) since.output += outputTokens;
    if (key.charged <= 0n) return;
    if (key.unit === "credit") {
      since.nanoCredits += Number(key.charged);
      if (key.account !== null) countForAccount(key.account, Number(key.charged));
    }
    if (key.unit === "tokens") since.tokens += Number(key.charged);
  };
}

const createCounter = <Label extends string>(row: MetricRow & { labels: readonly Label[] }, collect: () => void) =>
  new Counter<Label>({ name: row.name, help: row.help, labelNames: row.labels, registers: [], collect });
