import type { By } from "../src/core/people/by.ts";
import type { CatalogueDescription } from "../src/catalogue/model.ts";
import { createId } from "../src/core/ids.ts";
import { invariant } from "../src/core/invariant.ts";
import type { Ledger, Settlement } from "../src/ledger/ledger.ts";
import { foldSeries } from "../src/records/fold-series.ts";
import { batchOf } from "../src/records/record-batch.ts";
import type { QueuedRecord } from "../src/records/record-queue.ts";
import { GRAINS } from "../src/records/request-groups.ts";
import type { RecordStore } from "../src/records/start-records.ts";
import { prepareCall, refusedCall, startedCall, type WantedCall, type World } from "./answer-call.ts";
import type { BookKey } from "./books.ts";
import type { DemoStore } from "./demo-store.ts";
import { createDraw } from "./draw.ts";
import { MODELS, modelNamed, tariffOf } from "./models.ts";
import { LONE_KEYS, PROJECTS, TEAMS } from "./organisation.ts";
import { type Call, type DemoCaller, planDay } from "./plan-day.ts";
import { type Event, fillPurse, labelOf, type Scene, setUp, storyOf } from "./story.ts";
import { badDayOf } from "./weather.ts";

export type Seeding = {
  store: DemoStore;
  ledger: Pick<Ledger, "turn" | "refused" | "refund">;
  records: Pick<RecordStore, "write" | "add" | "keepDays">;
  scene: Scene;
  /** What the operator takes for the present. */
  setNow: (nowMs: number | null) => void;
  catalogue: CatalogueDescription;
  /** Whoever seeds. */
  by: By;
  seed: string;
  endMs: number;
  days: number;
  tell: (day: number, requests: number) => void;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Steps of five minutes are kept for so long. */
const FINE_DAYS = 8;
const ROWS_AT_ONCE = 4_000;
const KEEP_DAYS = 3_650;
const LOW = 320_000_000_000n;
/** Calls of so long are asked for at once, and settled with the next. Charges and notices are dated by the end of it. */
const STEP_MS = { far: HOUR_MS, near: HOUR_MS / 6 };
const NEAR_DAYS = 3;
/** Whoever fills the purse looks at it so often. */
const LOOK_HOURS = [0, 9, 13, 17];
const REFUNDED_DAYS = [12, 40, 75];

/**
 * Fills an empty database with the traffic of an organisation, day by day, up to a moment, while the ledger's clock is set back. Accounts,
 * keys, limits, people and payments are made through the operator. The ledger lets requests start, refuses and charges them as it does those
 * of a gateway; what is made up is what they ask for and what providers say.
 */
export async function seedDemo(seeding: Seeding): Promise<{ requests: number }> {
  const { store, endMs, days, setNow, tell } = seeding;
  const startMs = endMs - (endMs % DAY_MS) - (days - 1) * DAY_MS;
  const setClock = async (nowMs: number): Promise<void> => {
    setNow(nowMs);
    await store.setClock(nowMs);
  };
  const story = storyOf({ startMs, endMs });
  let requests = 0;
  await store.takeClock();
  try {
    await setClock(startMs - 15 * HOUR_MS);
    await begin(seeding);
    const world = await worldOf(seeding);
    const told: Told = { invoices: 1, refunds: [] };
    const till = openTill(seeding, { world, setClock });
    for (let day = 0; day < days; day += 1) {
      const fromMs = startMs + day * DAY_MS;
      await setClock(fromMs);
      await store.prepareDay(fromMs);
      await seeding.records.keepDays(KEEP_DAYS);
      const planned = planDay({ fromMs, seed: seeding.seed, daysAgo: days - 1 - day, span: days }, callersOf(startMs));
      const calls = planned.filter((call) => isOver(call, endMs));
      const kept: QueuedRecord[] = [];
      const stepMs = day >= days - NEAR_DAYS ? STEP_MS.near : STEP_MS.far;
      for (const { atMs, untilMs, event } of piecesOf({ fromMs, endMs, story })) {
        await setClock(atMs);
        const books = new Map((await openBooks(seeding, { event, told, day })).map((key) => [key.label, key]));
        for (let stepAtMs = atMs; stepAtMs < untilMs;) {
          // On the full hour, or ten minutes, wherever it begins: no id is older than an hour by the clock that sees it.
          const endsMs = Math.min(untilMs, stepAtMs - (stepAtMs % stepMs) + stepMs);
          const some = calls.filter((call) => call.atMs >= stepAtMs && call.atMs < endsMs);
          kept.push(...(await till.step(some, { books, atMs: endsMs })));
          stepAtMs = endsMs;
        }
        const settled = await till.close(untilMs);
        if (REFUNDED_DAYS.includes(day)) told.refunds.push(...refundable(settled).slice(0, 1 - told.refunds.length));
      }
      await keepRecords(seeding, kept, { fine: fromMs + DAY_MS > endMs - FINE_DAYS * DAY_MS });
      requests += kept.length;
      tell(day + 1, requests);
    }
  } finally {
    setNow(null);
    await store.giveClockBack();
  }
  await store.finish(startMs - DAY_MS);
  return { requests };
}

async function begin({ store, scene, catalogue, by, endMs }: Seeding): Promise<void> {
  await scene.operator.catalogue.apply(catalogue, by);
  for (const one of MODELS)
    if (one.before !== undefined)
      await store.addPrice({ model: one.id, fromMs: endMs - one.before.days * DAY_MS, ...tariffOf(one) });
  await setUp(scene, by);
  await store.dateBack();
}

async function worldOf({ store, seed, endMs }: Seeding): Promise<World> {
  return {
    endMs,
    badDayMs: badDayOf(endMs),
    draw: createDraw(`${seed}/answers`),
    routes: await store.routeIds(),
    rates: new Map(PROJECTS.map(({ key, rpm }) => [key, rpm])),
  };
}

/** Whoever has a key, from the day after they got it. */
function callersOf(startMs: number): DemoCaller[] {
  const from = (day: number | undefined): number => (day === undefined ? startMs : startMs + (day + 1) * DAY_MS);
  const people = TEAMS.flatMap((team) => team.people).map((person) => ({
    key: labelOf(person),
    does: { habit: person.habit, zeal: person.zeal },
    fromMs: from(person.joins),
    toMs: person.leaves === undefined ? Infinity : startMs + person.leaves * DAY_MS,
  }));
  const programs = PROJECTS.map(({ key, habit }) => ({
    key,
    does: { service: habit },
    fromMs: startMs,
    toMs: Infinity,
  }));
  const lone = LONE_KEYS.map(({ label, habit, zeal }) => ({
    key: label,
    does: { habit, zeal },
    fromMs: startMs,
    toMs: Infinity,
  }));
  return [...people, ...programs, ...lone];
}

/** Whether a call has surely ended by then; nothing that is seeded is under way. */
function isOver({ atMs, output, model }: Call, endMs: number): boolean {
  const { firstMs, perSecond } = modelNamed(model);
  return atMs + 6 * firstMs + (output / perSecond) * 2_500 + 20_000 < endMs && (atMs < endMs - 300_000 || output < 900);
}

type Piece = { atMs: number; untilMs: number; event: Event | null };
type Told = { invoices: number; refunds: Settlement[] };

function piecesOf({ fromMs, endMs, story }: { fromMs: number; endMs: number; story: readonly Event[] }): Piece[] {
  const toMs = Math.min(fromMs + DAY_MS, endMs);
  const cuts = LOOK_HOURS.map((hour) => ({ atMs: fromMs + hour * HOUR_MS, event: null }));
  const events = story.map((event) => ({ atMs: event.atMs, event }));
  const all = [...cuts, ...events]
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  return all.map((piece, place) => ({ ...piece, untilMs: all[place + 1]?.atMs ?? toMs }));
}

/** After what an operator does then, and what they do as they see the books: fill the purse, and give back what somebody complained about. */
async function openBooks(
  { store, ledger, scene }: Seeding,
  { event, told, day }: { event: Event | null; told: Told; day: number },
): Promise<BookKey[]> {
  if (event !== null) {
    await event.happens(scene);
    await store.dateBack();
  }
  const books = await store.openBooks();
  const refunds = told.refunds.splice(0);
  const isLow = books.some(({ counters }) =>
    counters.some(({ kind, holder, posted }) => kind === "purse" && holder !== null && posted < LOW),
  );
  if (!isLow && refunds.length === 0) return books;
  if (isLow) await fillPurse(scene, (told.invoices += 1));
  for (const { keyId, id, price } of refunds)
    await ledger.refund({ keyId, about: id, amounts: price, reference: `ticket-${1_040 + day}`, actor: "cli" });
  return store.openBooks();
}

const refundable = (settled: readonly Settlement[]): Settlement[] =>
  settled.filter(({ outcome, price }) => outcome === "completed" && (price.credits ?? 0n) > 20_000_000n);

const keyOf = (books: ReadonlyMap<string, BookKey>, { key }: Call): BookKey | null =>
  key === null ? null : (books.get(key) ?? null);

type Step = { books: ReadonlyMap<string, BookKey>; atMs: number };

/** Asks the ledger for the calls of each step, and settles them with the next one, as a process of a gateway does. */
function openTill(
  { ledger }: Seeding,
  { world, setClock }: { world: World; setClock: (nowMs: number) => Promise<void> },
) {
  const processId = createId(Date.now());
  let open: Settlement[] = [];
  let settled: Settlement[] = [];

  async function turn(wanted: readonly WantedCall[], atMs: number): Promise<QueuedRecord[]> {
    if (wanted.length === 0 && open.length === 0) return [];
    await setClock(atMs);
    const ending = open;
    const { verdicts } = await ledger.turn(processId, { settlements: ending, asks: wanted.map(({ ask }) => ask) });
    settled.push(...ending);
    open = [];
    const records: QueuedRecord[] = [];
    for (const [place, one] of wanted.entries()) {
      const verdict = verdicts[place];
      invariant(verdict, "every request that asks is answered");
      if (verdict.kind === "admitted") {
        const { record, settlement } = startedCall(one, { granted: verdict.granted, draw: world.draw });
        open.push(settlement);
        records.push(record);
      } else {
        invariant("named" in verdict, `the demo asks for what can be granted: ${verdict.kind}`);
        records.push(refusedCall(one, { named: verdict.named, draw: world.draw }));
        await ledger.refused({ counter: verdict.named.id, little: false });
      }
    }
    return records;
  }

  return {
    step: async (calls: readonly Call[], { books, atMs }: Step): Promise<QueuedRecord[]> => {
      const prepared = calls.map((call) => prepareCall(call, keyOf(books, call), world));
      const rejected = prepared.flatMap(({ record }) => (record === null ? [] : [record]));
      const wanted = prepared.flatMap((one) => (one.wanted === null ? [] : [one.wanted]));
      return [...rejected, ...(await turn(wanted, atMs))];
    },
    /** Settles what is open, and tells what was settled since the last time. */
    close: async (atMs: number): Promise<readonly Settlement[]> => {
      await turn([], atMs);
      const since = settled;
      settled = [];
      return since;
    },
  };
}

async function keepRecords(
  { records }: Seeding,
  kept: readonly QueuedRecord[],
  { fine }: { fine: boolean },
): Promise<void> {
  for (let at = 0; at < kept.length; at += ROWS_AT_ONCE) {
    const batch = batchOf(kept.slice(at, at + ROWS_AT_ONCE));
    const series = foldSeries(batch.groups).map((rows) => rows.filter(({ grain }) => fine || grain !== GRAINS[0]));
    const refused = (await records.write(batch)) === "refused";
    if (refused || (await records.add([batch.name], series)) === "refused")
      throw new Error("a record of the demo does not fit its table");
  }
}
