import type { RequestFacts } from "../core/request/request-facts.ts";
import type { SentBy } from "./agent-name.ts";

/** A request, who sent it, and how many it stands for. */
export type QueuedRecord = { facts: RequestFacts; name: SentBy; times: number };

type QueueOptions = {
  /** Records that wait at most. */
  most: number;
  /** Refusals of one key that are kept each for itself between two flushes; those of nobody's key share one allowance. */
  refusalsEach?: number;
};

const REFUSALS_EACH = 50;

export type RecordQueue = {
  add: (facts: RequestFacts, name: SentBy) => void;
  /** Everything that waits, which is then somebody else's. */
  take: () => QueuedRecord[];
  size: () => number;
  /** How many were dropped since the last call, since too many waited. */
  dropped: () => number;
};

/**
 * What waits to be written, within bounds whatever clients do. Refusals cost whoever is refused nothing, so a client can make
 * thousands in a second: beyond an allowance those of the same key, code and model are counted in the first one.
 */
export function createRecordQueue({ most, refusalsEach = REFUSALS_EACH }: QueueOptions): RecordQueue {
  let waiting: QueuedRecord[] = [];
  let refused = new Map<string, number>();
  let alike = new Map<string, QueuedRecord>();
  let dropped = 0;

  function add(facts: RequestFacts, name: SentBy): void {
    if (facts.status >= 400 && facts.attempts === null) {
      const owner = facts.keyId ?? "";
      const before = refused.get(owner) ?? 0;
      refused.set(owner, before + 1);
      if (before >= refusalsEach) return count(facts, name);
    }
    push(facts, name);
  }

  function count(facts: RequestFacts, name: SentBy): void {
    // Not the model that was asked for: there is no end of names.
    const kind = `${facts.keyId} ${facts.code} ${facts.status} ${facts.route} ${facts.model ?? ""}`;
    const first = alike.get(kind);
    if (first !== undefined) first.times++;
    else {
      const queued = push(facts, name);
      if (queued !== null) alike.set(kind, queued);
    }
  }

  function push(facts: RequestFacts, name: SentBy): QueuedRecord | null {
    if (waiting.length >= most) {
      dropped++;
      return null;
    }
    const queued = { facts, name, times: 1 };
    waiting.push(queued);
    return queued;
  }

  return {
    add,
    take: () => {
      const taken = waiting;
      waiting = [];
      refused = new Map();
      alike = new Map();
      return taken;
    },
    size: () => waiting.length,
    dropped: () => {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}
