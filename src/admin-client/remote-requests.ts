import { dateOf } from "../wire/admin/instant.ts";
import { SERIES_STEPS, seriesSchema, STEP_NAMES } from "../wire/admin/series.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

type Asked = {
  of: { kind: "key" | "account"; name: string } | null;
  model?: string | null;
  provider?: string | null;
  fromMs: number | null;
  toMs: number | null;
  stepMinutes: number | null;
  by: string | null;
  top: number;
};

/** Sums over time, through the admin listener. */
export const remoteSeries = (ask: AskFor) => ({
  report: ({ of, model = null, provider = null, fromMs, toMs, stepMinutes, by, top }: Asked) => {
    const step = STEP_NAMES.find((name) => SERIES_STEPS[name] === stepMinutes) ?? null;
    const range = { from: dateOf(fromMs), to: dateOf(toMs), step, by, top, model, provider };
    return ask(seriesSchema, "GET", `/series?${queryOf({ ...range, ...(of && { [of.kind]: of.name }) })}`);
  },
});
