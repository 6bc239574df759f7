import { codeName } from "../../charts/code-colour.ts";
import type { Buckets, Series } from "../../charts/series.ts";
import { DAY_MS, HOUR_MS } from "../../format/time.ts";
import type { Range } from "../../shell/range.ts";
import type { CountedSeries, EndedRequest, RequestQuery, SeriesQuery } from "./request-query.ts";

const FIVE_MINUTES_MS = 300_000;
const STEPS = { "5m": FIVE_MINUTES_MS, "1h": HOUR_MS, "1d": DAY_MS } as const;
type Step = keyof typeof STEPS;
const MOST_GROUPS = 50;

/** Bars that can be told apart, of a step that the gateway has sums of. */
const stepOf = ({ fromMs, toMs }: Range): Step =>
  toMs - fromMs <= 6 * HOUR_MS ? "5m" : toMs - fromMs <= 4 * DAY_MS ? "1h" : "1d";

export const STEP_TITLES: Record<Step, string> = { "5m": "five minutes", "1h": "hour", "1d": "day in UTC" };

/**
 * The sums that answer for a filter. Null: none do. There are sums of everything, of an account and of a key, each by code, or by
 * model, or by provider, but not by two of these, by status or by agent.
 */
export function seriesQuery(query: RequestQuery, range: Range): (SeriesQuery & { step: Step }) | null {
  const { key, account, model, provider, code, outcome, status, agent, from, to } = query;
  const kinds = [model, provider, code ?? outcome].filter((one) => one !== undefined);
  if (kinds.length > 1 || status !== undefined || agent !== undefined) return null;
  if (key !== undefined && account !== undefined) return null;
  const by = model === undefined ? (provider === undefined ? undefined : "provider") : "model";
  return {
    step: stepOf(range),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(key !== undefined && { key }),
    ...(account !== undefined && { account }),
    ...(by !== undefined && { by, top: MOST_GROUPS }),
  };
}

export type Volume = { buckets: Buckets; step: Step; series: Series[] };

export function bucketsFor(range: Range): { buckets: Buckets; step: Step } {
  const step = stepOf(range);
  const stepMs = STEPS[step];
  const first = Math.floor(range.fromMs / stepMs) * stepMs;
  const count = Math.max(1, Math.ceil((range.toMs - first) / stepMs));
  return {
    step,
    buckets: { stepMs, startsMs: Array.from({ length: count }, (_start, index) => first + index * stepMs) },
  };
}

/** The requests of each bucket by what they ended with; of one model or provider, all together. Null: it is not among the sums. */
export function volumeOf(answer: CountedSeries, query: RequestQuery, range: Range): Volume | null {
  const one = query.model ?? query.provider;
  if (one === undefined) {
    const points = answer.points.flatMap(({ at, codes }) =>
      Object.entries(codes)
        .filter(([code]) => isAsked(code, query))
        .map(([code, requests]) => ({ at: Date.parse(at), code, requests })),
    );
    return { ...bucketsFor(range), series: stack(points, range) };
  }
  const group = answer.groups.find(({ id }) => id === one);
  if (group === undefined && answer.groups.some(({ id }) => id === null)) return null;
  const points = (group?.points ?? []).map(({ at, requests }) => ({ at: Date.parse(at), code: one, requests }));
  return { ...bucketsFor(range), series: stack(points, range) };
}

/** The same from the rows of the list. */
export function countRows(rows: readonly EndedRequest[], range: Range): Volume {
  const points = rows.map(({ at, code, times }) => ({ at: Date.parse(at), code, requests: times }));
  return { ...bucketsFor(range), series: stack(points, range) };
}

const isAsked = (code: string, { code: asked, outcome }: RequestQuery): boolean =>
  (asked === undefined || code === asked) && (outcome === undefined || outcomeOf(code) === outcome);

const outcomeOf = (code: string): string => (code === "ok" || code === "client_gone" ? code : "error");

type Point = { at: number; code: string; requests: number };

function stack(points: readonly Point[], range: Range): Series[] {
  const { startsMs, stepMs } = bucketsFor(range).buckets;
  const codes = new Map<string, bigint[]>();
  for (const { at, code, requests } of points) {
    const place = Math.floor((at - (startsMs[0] ?? 0)) / stepMs);
    const values = codes.get(code) ?? startsMs.map(() => 0n);
    if (values[place] !== undefined) values[place] += BigInt(requests);
    codes.set(code, values);
  }
  return [...codes].map(([code, values]) => ({ id: code, name: codeName(code), values })).toSorted(inOrder);
}

/** Delivered at the bottom, then those whose clients left, then errors by their names: a code has its place whatever the numbers are. */
const inOrder = ({ id: one }: Series, { id: other }: Series): number =>
  rankOf(one) - rankOf(other) || one.localeCompare(other);

const rankOf = (code: string): number => ["ok", "client_gone"].indexOf(code) + 1 || 3;
