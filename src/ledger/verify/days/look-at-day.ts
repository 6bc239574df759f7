import { hash } from "node:crypto";
import type { Mismatch } from "../verify-fold.ts";
import {
  type DayStore,
  type DaySum,
  firstIdOf,
  idAfter,
  idsOf,
  nameOf,
  type Pass,
  type VerifiedDay,
} from "./verified-day.ts";

/**
 * What was charged this long ago is final: no transaction is still writing it, and the clock of the ledger is set back by an hour at most.
 */
export const FINAL_AFTER_MS = 61 * 60_000;
/** Later ones are left to the next look: one that went on while a busy day grows would not end. Ids are of clocks that differ a little. */
const AHEAD_MS = 60_000;
/** So much work may be lost when a process dies. */
const KEEP_EVERY_MS = 30_000;

type Looking = {
  store: DayStore;
  processId: string;
  elapsedMs: () => number;
  /** How long was worked so far, without rests. */
  workedMs: () => number;
  /** Told at once, however long the rest of the day takes. */
  onMismatches: (found: readonly Mismatch[]) => void;
  /** Mismatches of a look that is under way are kept now, so that they count. */
  onKept: () => Promise<void>;
};

/**
 * Goes through the charges of a day: computes each amount anew, adds them up, and digests the rows that are final. The rows that were
 * final last time must come to the same digest. Goes on with a look that somebody else had to leave.
 */
export async function lookAtDay(day: VerifiedDay, nowMs: number, looking: Looking): Promise<Pass> {
  const { store, processId, elapsedMs, workedMs, onMismatches, onKept } = looking;
  const pass = day.pass ?? begin(day, nowMs);
  const sums = new Map(pass.sums.map((sum) => [placeOf(sum), sum]));
  const before = [idsOf(day.number).before, firstIdOf(pass.beganMs + AHEAD_MS)].toSorted()[0] ?? "";
  const tookBeforeMs = pass.tookMs;
  const beganWorkMs = workedMs();
  let keptMs = elapsedMs();

  const note = (found: readonly Mismatch[]): void => {
    if (found.length === 0) return;
    pass.mismatches += found.length;
    pass.found.push(...found);
    onMismatches(found);
  };

  for (;;) {
    const untils = { nowMs: pass.untilMs, beforeMs: pass.before === null ? null : day.untilMs };
    const { rows, last, digests } = await store.piece({ from: pass.from, before }, untils);
    if (last === null || rows === 0) break;
    const range = { from: pass.from, last };
    const wrong = await store.recompute(range);
    const added = await store.sums(range, pass.untilMs);

    for (const digest of digests) append(pass, digest);
    for (const sum of added) add(sums, sum);
    pass.sums = [...sums.values()];
    pass.from = idAfter(last);
    pass.tookMs = tookBeforeMs + workedMs() - beganWorkMs;
    note(wrong);
    if (wrong.length > 0 || elapsedMs() - keptMs >= KEEP_EVERY_MS) {
      await store.keepPass(processId, day.number, pass);
      keptMs = elapsedMs();
      if (wrong.length > 0) await onKept();
    }
  }

  note(await store.usageSums(day.number));
  const changed = changeOf(day, pass);
  if (changed !== null) note([changed]);
  pass.tookMs = tookBeforeMs + workedMs() - beganWorkMs;
  await store.endLook(processId, day.number, { ...pass, kept: changed === null ? pass : null });
  return pass;
}

const begin = (day: VerifiedDay, nowMs: number): Pass => {
  const digest = sha256("tollgate charges", nameOf(day.number));
  return {
    beganMs: nowMs,
    // Never back: what was final stays final, whatever the clock says.
    untilMs: Math.max(nowMs - FINAL_AFTER_MS, day.digest === null ? -Infinity : day.untilMs),
    from: idsOf(day.number).from,
    charges: 0,
    digest,
    before: day.digest === null ? null : { charges: 0, digest },
    sums: [],
    mismatches: 0,
    found: [],
    tookMs: 0,
  };
};

function append(pass: Pass, { digest, before }: { digest: string; before: boolean }): void {
  const next = sha256(pass.digest, digest);
  if (before && pass.before !== null) {
    // Nearly always nothing came in between, and both are the same.
    const same = pass.before.digest === pass.digest ? next : sha256(pass.before.digest, digest);
    pass.before = { charges: pass.before.charges + 1, digest: same };
  }
  pass.digest = next;
  pass.charges += 1;
}

const sha256 = (one: string, other: string): string => hash("sha256", `${one} ${other}`);

const placeOf = ({ chain, key_no: keyNo, admitted }: DaySum): string => `${chain} ${keyNo} ${admitted}`;

const SUMMED = ["charges", "requests", "credits", "tokens", "input", "output"] as const;

function add(sums: Map<string, DaySum>, added: DaySum): void {
  const sum = sums.get(placeOf(added));
  if (sum === undefined) sums.set(placeOf(added), { ...added });
  else for (const name of SUMMED) sum[name] = String(BigInt(sum[name]) + BigInt(added[name]));
}

/** What was final last time and is not there as it was. */
function changeOf(day: VerifiedDay, { before }: Pass): Mismatch | null {
  if (day.digest === null || before === null) return null;
  if (before.digest === day.digest && before.charges === day.charges) return null;
  const write = (charges: number, digest: string): string => `${charges} charges, digest ${digest.slice(0, 16)}`;
  return {
    keyId: null,
    accountId: null,
    counter: null,
    column: `charges of ${nameOf(day.number)}`,
    expected: write(day.charges, day.digest),
    found: write(before.charges, before.digest),
  };
}
