import type { Clock } from "../../core/clock.ts";
import type { ReadSeries } from "../../core/request/series.ts";
import type { HolderModels, ModelSpeed } from "../../wire/holder/models.ts";
import type { ListModels } from "../list-models.ts";
import type { KeyHolder } from "./holder-door.ts";

/** GET /me/models: the models the key may use, and how fast each was in the last hour, whoever used it. */
export type ListOwnModels = (holder: KeyHolder) => Promise<HolderModels>;

const HOUR_MS = 3_600_000;
const FINE_STEP = 5;
/** However many ask, the database is asked this often. */
const KEPT_MS = 30_000;
const MOST_MODELS = 500;

type Parts = { listModels: ListModels; readSeries: ReadSeries; clock: Clock };

export function createListOwnModels({ listModels, readSeries, clock }: Parts): ListOwnModels {
  let [speeds, readAtMs] = [new Map<string, ModelSpeed>(), Number.NEGATIVE_INFINITY];
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const toMs = clock.nowMs();
    const range = { of: null, fromMs: toMs - HOUR_MS, toMs, stepMinutes: FINE_STEP };
    const { groups } = await readSeries({ ...range, by: "model", top: MOST_MODELS });
    speeds = new Map(
      groups.flatMap(({ id, total: { outputPerSecond, ttft } }): [string, ModelSpeed][] =>
        id === null || (outputPerSecond === null && ttft === null)
          ? []
          : [[id, { outputPerSecond, ttftP50Ms: ttft?.p50 ?? null }]],
      ),
    );
  }

  /** A read that fails is not repeated at once; what is known grows old instead. */
  async function refresh(): Promise<void> {
    if (clock.elapsedMs() - readAtMs < KEPT_MS) return;
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        readAtMs = clock.elapsedMs();
        reading = null;
      });
    await reading;
  }

  return async ({ key }) => {
    await refresh();
    const { object, data } = listModels(key);
    return { object, data: data.map((model) => ({ ...model, speed: speeds.get(model.id) ?? null })) };
  };
}
