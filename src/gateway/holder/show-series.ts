import type { Clock } from "../../core/clock.ts";
import { fieldFault } from "../../core/fault.ts";
import type { AskedSeries, ReadSeries } from "../../core/request/series.ts";
import type { HolderSeries } from "../../wire/holder/series.ts";
import type { KeyHolder } from "./holder-door.ts";
import type { OwnKeys } from "./own-keys.ts";
import { recordsAway } from "./records-away.ts";

/** Null: the last day, as fits, whole. */
type Asked = Pick<AskedSeries, "stepMinutes"> & {
  fromMs: number | null;
  toMs: number | null;
  by: HolderSeries["by"];
};

/** GET /me/series: what the holder did over time. */
export type ShowSeries = (holder: KeyHolder, asked: Asked) => Promise<HolderSeries>;

const DAY_MS = 86_400_000;
const MOST_STEPS = 2_500;
const MOST_GROUPS = 20;

type Parts = { readSeries: ReadSeries; ownKeys: OwnKeys; clock: Pick<Clock, "nowMs"> };

export const createShowSeries =
  ({ readSeries, ownKeys, clock }: Parts): ShowSeries =>
  async (holder, { stepMinutes, by, ...range }) => {
    // There is nothing outside of these, and the database knows fewer years than a client can write.
    const toMs = Math.min(range.toMs ?? clock.nowMs(), clock.nowMs() + DAY_MS);
    const fromMs = Math.max(range.fromMs ?? toMs - DAY_MS, 0);
    if (fromMs >= toMs) throw fieldFault("from", "Input should be before `to`");
    if (stepMinutes !== null && (toMs - fromMs) / (stepMinutes * 60_000) > MOST_STEPS)
      throw fieldFault(
        "step",
        `Input should make at most ${MOST_STEPS.toLocaleString("en-US")} steps; ask for a shorter range or a longer step`,
      );
    const of = await ownKeys(holder);
    const series = await readSeries({ of, fromMs, toMs, stepMinutes, by, top: MOST_GROUPS }).catch(recordsAway);
    return { ...series, by };
  };
