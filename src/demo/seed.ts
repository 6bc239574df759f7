import type { By } from "../core/by.ts";
import type { CatalogueDescription } from "../catalogue/model.ts";
import { foldSeries } from "../records/fold-series.ts";
import { batchOf } from "../records/record-batch.ts";
import type { QueuedRecord } from "../records/record-queue.ts";
import { GRAINS } from "../records/request-groups.ts";
import type { RecordStore } from "../records/start-records.ts";
import { type AnsweredCall, answerCall, type DemoCharge, type World } from "./answer-call.ts";
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

/** How many days are seeded unless told, the present one included. Fewer than a week have no bad afternoon to look at. */
export const DEMO_DAYS = 90;
export const FEWEST_DAYS = 7;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Steps of five minutes are kept for so long. */
const FINE_DAYS = 8;
const ROWS_AT_ONCE = 4_000;
const KEEP_DAYS = 3_650;
const LOW = 320_000_000_000n;
/** Notices are as exact as the pieces that a day is written in. */
const CUT_HOURS = { far: [0, 13], near: [0, 9, 11, 13, 15, 17] };
const REFUNDED_DAYS = [12, 40, 75];

/**
 * Fills an empty database with the traffic of an organisation, day by day, up to a moment. Accounts, keys, limits, people and
 * payments are made through the operator while the database's clock is set back; requests and charges are written as the gateway
 * writes them, many at a time.
 */
export async function seedDemo(seeding: Seeding): Promise<{ requests: number }> {
  const { store, endMs, days, setNow, tell } = seeding;
  const startMs = endMs - (endMs % DAY_MS) - (days - 1) * DAY_MS;
  const setClock = async (nowMs: number | null): Promise<void> => {
    setNow(nowMs);
    await store.setClock(nowMs);
  };
  const story = storyOf({ startMs, endMs });
  let requests = 0;
  try {
    await setClock(startMs - 15 * HOUR_MS);
    await begin(seeding);
    const world = await worldOf(seeding);
    const told: Told = { invoices: 1, refunds: [] };
    for (let day = 0; day < days; day += 1) {
      const fromMs = startMs + day * DAY_MS;
      await setClock(fromMs);
      await store.prepareDay(fromMs);
      await seeding.records.keepDays(KEEP_DAYS);
      const planned = planDay({ fromMs, seed: seeding.seed, daysAgo: days - 1 - day, span: days }, callersOf(startMs));
      const calls = planned.filter((call) => isOver(call, endMs));
      const kept: QueuedRecord[] = [];
      for (const { atMs, untilMs, event } of piecesOf({ fromMs, endMs, near: day > days - 10, story })) {
        await setClock(atMs);
        const books = new Map((await openBooks(seeding, { event, told, day })).map((key) => [key.label, key]));
        const some = calls.filter((call) => call.atMs >= atMs && call.atMs < untilMs);
        const answered = some.map((call) => answerCall(call, keyOf(books, call), world));
        await book(seeding, answered);
        kept.push(...answered.map(({ record }) => record));
        if (REFUNDED_DAYS.includes(day)) told.refunds.push(...refundable(answered).slice(0, 1 - told.refunds.length));
      }
      await keepRecords(seeding, kept, { fine: fromMs + DAY_MS > endMs - FINE_DAYS * DAY_MS });
      requests += kept.length;
      tell(day + 1, requests);
    }
  } finally {
    await setClock(null);
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
type Told = { invoices: number; refunds: DemoCharge[] };

function piecesOf({
  fromMs,
  endMs,
  near,
  story,
}: {
  fromMs: number;
  endMs: number;
  near: boolean;
  story: readonly Event[];
}): Piece[] {
  const toMs = Math.min(fromMs + DAY_MS, endMs);
  const cuts = (near ? CUT_HOURS.near : CUT_HOURS.far).map((hour) => ({ atMs: fromMs + hour * HOUR_MS, event: null }));
  const events = story.map((event) => ({ atMs: event.atMs, event }));
  const all = [...cuts, ...events]
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  return all.map((piece, place) => ({ ...piece, untilMs: all[place + 1]?.atMs ?? toMs }));
}

/** After what an operator does then, and what they do as they see the books: fill the purse, and give back what somebody complained about. */
async function openBooks(
  { store, scene }: Seeding,
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
  for (const { key, holdId, paid } of refunds) {
    const reference = `ticket-${1_040 + day}`;
    await store.refund({ keyId: key.keyId, holdId, credits: paid.credits ?? 0n, reference, actor: "cli" });
  }
  return store.openBooks();
}

const refundable = (answered: readonly AnsweredCall[]): DemoCharge[] =>
  answered.flatMap(({ charge }) =>
    charge !== null && charge.kind === "completed" && (charge.paid.credits ?? 0n) > 20_000_000n ? [charge] : [],
  );

const keyOf = (books: ReadonlyMap<string, BookKey>, { key }: Call): BookKey | null =>
  key === null ? null : (books.get(key) ?? null);

async function book({ store }: Seeding, answered: readonly AnsweredCall[]): Promise<void> {
  const charges = answered.flatMap(({ charge }) => (charge === null ? [] : [charge]));
  const refusedBy = [...new Set(answered.flatMap(({ refusedBy: by }) => (by === null ? [] : [by])))];
  await store.book(charges, refusedBy);
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
