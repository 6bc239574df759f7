import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { Key } from "../keys/key.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { limitReached } from "./verdict-fault.ts";

/** Throws when a key has nothing to pay with. Asked before a large body is read, so that it is not read for nothing. */
export type RequireFunds = (key: Key, smallBytes: number) => Promise<void>;

type Parts = { ledger: Pick<Ledger, "usage">; clock: Clock };

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
    const summary = await ledger.usage(key.id).catch(() => null);
    underway.delete(key.id);
    if (summary === null) return { untilMs: 0, fault: null };
    const fault = summary.posted > 0n ? null : nothingLeft(key, smallBytes, summary.periodEndsAtMs);
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

  function nothingLeft({ mode }: Key, smallBytes: number, periodEndsAtMs: number | null): Fault {
    return mode === "credit" ? noCredit(smallBytes) : limitReached(periodEndsAtMs);
  }

  return async (key, smallBytes) => {
    const last = known.get(key.id);
    const { fault } = last !== undefined && last.untilMs > clock.elapsedMs() ? last : await ask(key, smallBytes);
    if (fault !== null) throw fault;
  };
}

const noCredit = (smallBytes: number): Fault =>
  new Fault(
    "insufficient_credit",
    `This key has no credit, so its request bodies are limited to ${smallBytes.toLocaleString("en-US")} bytes. Top up the key.`,
  );
