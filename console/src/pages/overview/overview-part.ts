import type { Shown } from "../../parts/state.tsx";
import type { SeriesAnswer } from "./series-of.ts";

/** What every chart of the overview gets: one answer, its state, and how to zoom into it. */
export type OverviewPart = {
  answer: SeriesAnswer | undefined;
  shown: Shown;
  onRange: ((fromMs: number, toMs: number) => void) | undefined;
};
