import type { Clock } from "../../core/clock.ts";
import type { ListRequests, RequestRecord } from "../../core/request/request-record.ts";
import type { ReadSeries } from "../../core/request/series.ts";
import type { KeyHolder } from "./holder-door.ts";
import type { OwnKeys } from "./own-keys.ts";
import { recordsAway } from "./records-away.ts";
import { ofKeys } from "./show-requests.ts";

/** Errors of one code. `last`: null when no record of it is kept. */
export type ErrorGroup = { code: string; count: number; last: RequestRecord | null };

export type OwnErrors = { fromMs: number; toMs: number; requests: number; groups: readonly ErrorGroup[] };

/** The errors of a key's requests in the last days by their codes, the most frequent first. */
export type ListErrors = (holder: KeyHolder, asked: { days: number }) => Promise<OwnErrors>;

const DAY_MS = 86_400_000;
const RECENT = 200;
/** No error of the key's requests. */
const FINE: ReadonlySet<string> = new Set(["ok", "client_gone"]);

type Parts = { readSeries: ReadSeries; listRequests: ListRequests; ownKeys: OwnKeys; clock: Pick<Clock, "nowMs"> };

export const createListErrors =
  ({ readSeries, listRequests, ownKeys, clock }: Parts): ListErrors =>
  async (holder, { days }) => {
    const nowMs = clock.nowMs();
    const of = await ownKeys(holder);
    const asked = { of, fromMs: nowMs - days * DAY_MS, toMs: nowMs, by: null, top: 0, stepMinutes: null };
    const { fromMs, toMs, total } = await readSeries(asked).catch(recordsAway);
    const counts = Object.entries(total.codes).filter(([code]) => !FINE.has(code));
    const range = { ...ofKeys(of), fromMs };
    const first = async (code: string): Promise<RequestRecord | null> =>
      (await listRequests({ ...range, code }, { limit: 1, after: null }).catch(recordsAway)).data[0] ?? null;
    const recent =
      counts.length === 0
        ? []
        : (await listRequests({ ...range, outcome: "error" }, { limit: RECENT, after: null }).catch(recordsAway)).data;

    const groups: ErrorGroup[] = [];
    // One after the other: codes are few, and most of them are among the recent.
    for (const [code, count] of counts)
      groups.push({ code, count, last: recent.find((record) => record.code === code) ?? (await first(code)) });
    return { fromMs, toMs, requests: total.requests, groups: groups.toSorted((one, other) => other.count - one.count) };
  };
