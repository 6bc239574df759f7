import { type Grain, GRAINS, type RequestGroup, type RequestGroups } from "./request-groups.ts";
import { addSum, emptySum, type RequestSum } from "./request-sum.ts";

/** The scope of everything. */
export const EVERYTHING = "00000000-0000-0000-0000-000000000000";

/** A row of the table `series`, as JSON. */
export type SeriesRow = {
  scope: string;
  grain: Grain;
  /** Seconds since the epoch. */
  start: number;
  model: string;
  provider: string;
  code: string;
  requests: number;
  input: number;
  cached: number;
  output: number;
  credits: string;
  tokens: string;
  spoken: number;
  spoken_ms: number;
  ttft: number[] | null;
  overhead: number[] | null;
};

/** Rows that are put together in one piece, about: requests that wait for their turn wait no longer than this takes. */
const ROWS_AT_ONCE = 300;

/** The rows of groups in every scope and grain, in the order of the scopes, and those of one scope together. */
export function* foldSeries(groups: RequestGroups): Generator<SeriesRow[]> {
  const scopes = new Map<string, RequestGroup[]>();
  for (const [, group] of groups.entries()) {
    addTo(scopes, EVERYTHING, group);
    for (const account of group.accounts) addTo(scopes, account, group);
    // A key that is its own account has one series.
    if (group.keyId !== null && !group.accounts.includes(group.keyId)) addTo(scopes, group.keyId, group);
  }
  let rows: SeriesRow[] = [];
  for (const scope of [...scopes.keys()].toSorted()) {
    rows.push(...rowsOf(scope, scopes.get(scope) ?? []));
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function addTo(scopes: Map<string, RequestGroup[]>, scope: string, group: RequestGroup): void {
  const found = scopes.get(scope);
  if (found === undefined) scopes.set(scope, [group]);
  else found.push(group);
}

type Step = Pick<RequestGroup, "start" | "model" | "provider" | "code" | "sum">;

/** Each grain is added up from the one before. */
function rowsOf(scope: string, groups: readonly RequestGroup[]): SeriesRow[] {
  const rows: SeriesRow[] = [];
  let steps: readonly Step[] = groups;
  for (const grain of GRAINS) {
    steps = stepsOf(steps, grain);
    for (const { start, model, provider, code, sum } of steps)
      rows.push({ scope, grain, start, model, provider, code, ...columnsOf(sum) });
  }
  return rows;
}

function stepsOf(parts: readonly Step[], grain: Grain): Step[] {
  const steps = new Map<string, Step>();
  for (const { start: at, model, provider, code, sum } of parts) {
    const start = at - (at % (grain * 60));
    const name = `${start} ${code} ${provider} ${model}`;
    let step = steps.get(name);
    if (step === undefined) steps.set(name, (step = { start, model, provider, code, sum: emptySum() }));
    addSum(step.sum, sum);
  }
  return [...steps.values()];
}

const columnsOf = (sum: RequestSum) => ({
  requests: sum.requests,
  input: sum.input,
  cached: sum.cached,
  output: sum.output,
  credits: String(sum.credits),
  tokens: String(sum.tokens),
  spoken: sum.spoken,
  spoken_ms: sum.spokenMs,
  ttft: sum.ttft,
  overhead: sum.overhead,
});
