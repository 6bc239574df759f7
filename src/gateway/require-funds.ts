import { unitOf } from "../core/money/amount.ts";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { Key } from "../keys/key.ts";
import type { CounterSummary, LedgerReads } from "../ledger/ledger.ts";
import { emptyOf, namedOf } from "./binding.ts";
import { hasLeft, isOfKey, renewalOf, renewsOn } from "./lack-words.ts";
import { limitReached } from "./verdict-fault.ts";

/** Throws when a key has nothing to pay with. Asked before a large body is read, so that it is not read for nothing. */
export type RequireFunds = (key: Key, smallBytes: number) => Promise<void>;

type Parts = { ledger: Pick<LedgerReads, "usage">; clock: Clock };

/** Where there was money, there may be none by now: then the ledger refuses as ever, only later. */
const FUNDED_MS = 60_000;
/** Where there was none, there may be some by now, and nobody is refused for long because of what was. */
const EMPTY_MS = 1_000;
const MOST_KEYS = 100_000;

type Found = { untilMs: number; fault: Fault | null };

/** Reads the balance of a key once in a while. A refusal is never older than a second. */
export function createRequireFunds({ ledger, clock }: Parts): RequireFunds {
  const known = new Map<string, Found>();
  const underway = new Map<string, Promise<Found>>();

  async function find(key: Key, smallBytes: number): Promise<Found> {
    // A ledger that is away refuses the request itself, once its body is there.
    const summary = await ledger.usage(key.id, key.bucket).catch(() => null);
    underway.delete(key.id);
    if (summary === null) return { untilMs: 0, fault: null };
    const fault = lackOf(key, summary.counters, { smallBytes, nowMs: clock.nowMs() });
    const found = { untilMs: clock.elapsedMs() + (fault === null ? FUNDED_MS : EMPTY_MS), fault };
    known.delete(key.id);
    known.set(key.id, found);
    const [oldest] = known.keys();
    if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
    return found;
  }

  function ask(key: Key, smallBytes: number): Promise<Found> {
    const asked = underway.get(key.id) ?? find(key, smallBytes);
    underway.set(key.id, asked);
    return asked;
  }

  return async (key, smallBytes) => {
    const last = known.get(key.id);
    const { fault } = last !== undefined && last.untilMs > clock.elapsedMs() ? last : await ask(key, smallBytes);
    if (fault !== null) throw fault;
  };
}

type Asked = { smallBytes: number; nowMs: number };

function lackOf({ mode }: Key, counters: readonly CounterSummary[], { smallBytes, nowMs }: Asked): Fault | null {
  const empty = emptyOf(counters);
  const limited = `limited to ${smallBytes.toLocaleString("en-US")} bytes`;
  if (empty === null) {
    // Limits for some models may pay for it: which it asks for is not known yet.
    if (counters.some(({ unit }) => unit === unitOf(mode))) return null;
    return new Fault("insufficient_credit", `Nothing pays for this key, so its request bodies are ${limited}. ${ASK}`);
  }
  const named = namedOf(empty);
  if (named.unit === "tokens" && named.kind === "limit") return limitReached(named, nowMs);
  if (isOfKey(named)) {
    return new Fault(
      "insufficient_credit",
      `This key has no credit, so its request bodies are ${limited}. Top up the key.`,
    );
  }
  const renews = named.renewsAtMs === null ? ASK : renewsOn(named.renewsAtMs);
  const message = `${hasLeft(named)}, so request bodies of this key are ${limited}. ${renews}`;
  return new Fault("insufficient_credit", message, renewalOf(named));
}

const ASK = "Ask the operator for more.";
