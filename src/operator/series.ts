import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { fieldFault } from "../core/fault.ts";
import type { AskedSeries, ReadSeries, Series, SeriesFilter, SeriesGroup } from "../core/request/series.ts";
import type { FindKey } from "../keys/find-key.ts";
import type { FindAccount } from "./find/find-account.ts";
import { accountWithin, keyWithin } from "./find/find-within.ts";
import type { Holder, NamedHolder } from "./find/holder.ts";

/** Null: everything, the last day, as fits, whole. */
export type AskedSeriesReport = Pick<AskedSeries, "stepMinutes" | "top"> & {
  of: Holder | null;
  /** Absent: of all. */
  model?: string | null;
  provider?: string | null;
  fromMs: number | null;
  toMs: number | null;
  by: SeriesGroup | null;
};

/** Sums over time, and of whom: both null are everybody. What is asked for alone is told again. */
export type SeriesReport = Series & NamedHolder & SeriesFilter;

export type ReportSeries = {
  report: (asked: AskedSeriesReport, by: Pick<By, "within">) => Promise<SeriesReport>;
};

type Parts = { readSeries: ReadSeries; findKey: FindKey; findAccount: FindAccount; clock: Pick<Clock, "nowMs"> };

const DAY_MS = 86_400_000;
const MOST_STEPS = 2_500;

export const createReportSeries = (parts: Parts): ReportSeries => ({
  report: async ({ of, model = null, provider = null, stepMinutes, by, top, ...range }, { within }) => {
    const toMs = range.toMs ?? parts.clock.nowMs();
    const fromMs = range.fromMs ?? toMs - DAY_MS;
    if (fromMs >= toMs) throw fieldFault("from", "Input should be before `to`");
    if (stepMinutes !== null && (toMs - fromMs) / (stepMinutes * 60_000) > MOST_STEPS)
      throw fieldFault(
        "step",
        `Input should make at most ${MOST_STEPS.toLocaleString("en-US")} steps; ask for a shorter range or a longer step`,
      );
    const { ids, named } = await scopeOf(parts, of, within);
    const only = { model, provider };
    return { ...named, ...only, ...(await parts.readSeries({ of: ids, only, fromMs, toMs, stepMinutes, by, top })) };
  },
});

type Scope = { ids: readonly string[] | null; named: NamedHolder };
type Names = Pick<Parts, "findKey" | "findAccount">;

async function scopeOf(names: Names, of: Holder | null, within: By["within"]): Promise<Scope> {
  if (of === null) return { ids: within ? await outermost(names, within) : null, named: { key: null, account: null } };
  if (of.kind === "key") {
    const { id, prefix } = await keyWithin(names.findKey, { name: of.name, within });
    return { ids: [id], named: { key: { id, prefix }, account: null } };
  }
  const { id, title } = await accountWithin(names.findAccount, { name: of.name, within });
  return { ids: [id], named: { key: null, account: { id, title } } };
}

/** Accounts of which none is below another: what is below one is in its sums already. */
async function outermost({ findAccount }: Names, within: readonly string[]): Promise<string[]> {
  const found = await Promise.all(within.map((id) => findAccount(id)));
  return found
    .filter(({ id, path }) => !path.some((above) => above !== id && within.includes(above)))
    .map(({ id }) => id);
}
