import { Fault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { Authenticate } from "../../keys/authenticate.ts";
import type { Key } from "../../keys/key.ts";
import { bucketOf } from "../../keys/secret.ts";
import type { Batcher } from "../../ledger/turn/batcher.ts";
import type { LedgerState } from "../../core/ledger-state.ts";
import type { LedgerWatch } from "../../ledger/state/watch-ledger.ts";
import type { Duties } from "../../ledger/duties/duties.ts";
import type { Ledger, LedgerReads } from "../../ledger/ledger.ts";

type Buckets = { first: number; last: number };
type StartedLedger = Buckets & { ledger: Ledger; batcher: Batcher; duties: Duties; watch: LedgerWatch };

/** The one that has a bucket. */
export function among<Part extends Buckets>(parts: readonly Part[]): (bucket: number) => Part {
  const byBucket = Array.from({ length: 4_096 }, (_, bucket) =>
    parts.find(({ first, last }) => bucket >= first && bucket <= last),
  );
  invariant(
    byBucket.every((part) => part !== undefined),
    "every bucket has a ledger",
  );
  return (bucket) => {
    const part = byBucket[bucket];
    invariant(part, "a bucket is a number from 0 to 4,095");
    return part;
  };
}

export type JoinedLedgers = {
  ledger: LedgerReads;
  batcher: Batcher;
  duties: Duties;
  /** That of the one that is worst off. */
  state: () => LedgerState;
};

/** Ledgers as one: each call goes to the one that has the bucket it names, and what happens to one is no concern of the others. */
export function joinLedgers(ledgers: readonly StartedLedger[]): JoinedLedgers {
  const of = among(ledgers);
  return {
    ledger: {
      usage: (keyId, bucket) => of(bucket).ledger.usage(keyId),
      chain: (keyId, keyVersion, counters, bucket) => of(bucket).ledger.chain(keyId, keyVersion, counters),
    },
    batcher: {
      admit: (ask) => of(ask.bucket).batcher.admit(ask),
      settle: (settlement) => of(settlement.bucket).batcher.settle(settlement),
      settleLate: (settlement) => of(settlement.bucket).batcher.settleLate(settlement),
      void: (undone) => of(undone.bucket).batcher.void(undone),
      suspend: (key) => of(key.bucket).batcher.suspend(key),
      refused: (refusal) => of(refusal.bucket).batcher.refused(refusal),
      waiting: () => ledgers.reduce((sum, { batcher }) => sum + batcher.waiting(), 0),
    },
    duties: {
      checkpoints: {
        add: (checkpoint) => of(checkpoint.bucket).duties.checkpoints.add(checkpoint),
        forget: (id) => {
          for (const { duties } of ledgers) duties.checkpoints.forget(id);
        },
      },
      stop: async () => {
        for (const { watch } of ledgers) watch.stop();
        await Promise.all(ledgers.map(({ duties }) => duties.stop()));
      },
    },
    state: () => {
      const states = ledgers.map(({ watch }) => watch.state());
      return (
        states.find(({ state }) => state === "down") ??
        states.find(({ state }) => state === "degraded") ?? { state: "ok" }
      );
    },
  };
}

/** A secret of ours names its bucket. One of another product does not, and is looked for in one ledger after the other. */
export function authenticateAmong(ledgers: readonly (Buckets & { authenticate: Authenticate })[]): Authenticate {
  const [only] = ledgers;
  if (ledgers.length === 1 && only !== undefined) return only.authenticate;
  const of = among(ledgers);
  return {
    find: (secret, address) => {
      const bucket = bucketOf(secret);
      return bucket === null ? findAnywhere(secret, address) : of(bucket).authenticate.find(secret, address);
    },
    again: (secret, key) => of(bucketOf(secret) ?? key.bucket).authenticate.again(secret, key),
    forget: (id) => {
      for (const { authenticate } of ledgers) authenticate.forget(id);
    },
  };

  async function findAnywhere(...[secret, address]: Parameters<Authenticate["find"]>): Promise<Key> {
    let refusal: unknown;
    for (const { authenticate } of ledgers) {
      try {
        return await authenticate.find(secret, address);
      } catch (error) {
        // One that could not look is told before one that found nothing.
        const isUnknown = error instanceof Fault && error.code === "invalid_credentials";
        if (refusal === undefined || !isUnknown) refusal = error;
      }
    }
    throw refusal;
  }
}
