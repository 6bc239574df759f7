import type { Unit } from "../core/amount.ts";

/** What a key used of one model on one day, UTC. */
export type UsageSlice = {
  day: string;
  model: string;
  cost: bigint;
  requests: bigint;
  cutOff: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
};

export type UsageSlices = { unit: Unit; today: string; slices: UsageSlice[] };
export type ReadUsage = (keyId: string, days: number) => Promise<UsageSlices>;

export type UsageTotal = {
  cost: bigint;
  requests: number;
  /** Of the requests, those that were charged for what had been delivered when they ended early; they have no usage record. */
  cutOff: number;
  inputTokens: number;
  outputTokens: number;
};

export type KeyUsage = {
  unit: Unit;
  /** Oldest first, without a gap, today included. */
  days: readonly (UsageTotal & { day: string })[];
  /** Dearest first. */
  models: readonly (UsageTotal & { model: string })[];
};

export type ReportUsage = (keyId: string, days: number) => Promise<KeyUsage>;

const DAY_MS = 86_400_000;

/** What a key used lately, by day and by model. */
export const createReportUsage =
  ({ readUsage }: { readUsage: ReadUsage }): ReportUsage =>
  async (keyId, days) => {
    const { unit, today, slices } = await readUsage(keyId, days);
    const calendar = Array.from({ length: days }, (_, index) =>
      new Date(Date.parse(today) - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
    );
    const models = [...new Set(slices.map(({ model }) => model))]
      .map((model) => ({ model, total: totalOf(slices.filter((slice) => slice.model === model)) }))
      .toSorted((one, other) => (one.total.cost < other.total.cost ? 1 : -1));
    return {
      unit,
      days: calendar.map((day) => ({ day, ...totalOf(slices.filter((slice) => slice.day === day)) })),
      models: models.map(({ model, total }) => ({ model, ...total })),
    };
  };

function totalOf(slices: readonly UsageSlice[]): UsageTotal {
  const sum = (read: (slice: UsageSlice) => bigint): bigint => slices.reduce((total, slice) => total + read(slice), 0n);
  return {
    cost: sum(({ cost }) => cost),
    requests: Number(sum(({ requests }) => requests)),
    cutOff: Number(sum(({ cutOff }) => cutOff)),
    inputTokens: Number(sum(({ inputTokens }) => inputTokens)),
    outputTokens: Number(sum(({ outputTokens }) => outputTokens)),
  };
}
