import { type FindAccount, formatAmount, type Unit } from "./account.ts";

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

export type UsageTotalView = {
  cost: string;
  requests: number;
  /** Of the requests, those that were charged for what had been delivered when they ended early; they have no usage record. */
  cut_off: number;
  input_tokens: number;
  output_tokens: number;
};

export type UsageReport = {
  key: { id: string; prefix: string };
  unit: Unit;
  /** Oldest first, without a gap, today included. */
  days: (UsageTotalView & { day: string })[];
  /** Dearest first. */
  models: (UsageTotalView & { model: string })[];
};

export type ReportUsage = (idOrPrefix: string, days: number) => Promise<UsageReport>;

const DAY_MS = 86_400_000;

/** What a key used lately, by day and by model. */
export const createReportUsage =
  ({ findKey, readUsage }: { findKey: FindAccount; readUsage: ReadUsage }): ReportUsage =>
  async (idOrPrefix, days) => {
    const { id, prefix } = await findKey(idOrPrefix);
    const { unit, today, slices } = await readUsage(id, days);
    const calendar = Array.from({ length: days }, (_, index) =>
      new Date(Date.parse(today) - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
    );
    const models = [...new Set(slices.map(({ model }) => model))]
      .map((model) => ({ model, total: totalOf(slices.filter((slice) => slice.model === model)) }))
      .toSorted((one, other) => (one.total.cost < other.total.cost ? 1 : -1));
    return {
      key: { id, prefix },
      unit,
      days: calendar.map((day) => ({ day, ...view(unit, totalOf(slices.filter((slice) => slice.day === day))) })),
      models: models.map(({ model, total }) => ({ model, ...view(unit, total) })),
    };
  };

type Total = Omit<UsageSlice, "day" | "model">;

function totalOf(slices: readonly UsageSlice[]): Total {
  const sum = (read: (slice: UsageSlice) => bigint): bigint => slices.reduce((total, slice) => total + read(slice), 0n);
  return {
    cost: sum(({ cost }) => cost),
    requests: sum(({ requests }) => requests),
    cutOff: sum(({ cutOff }) => cutOff),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
  };
}

const view = (unit: Unit, total: Total): UsageTotalView => ({
  cost: formatAmount(unit, total.cost),
  requests: Number(total.requests),
  cut_off: Number(total.cutOff),
  input_tokens: Number(total.inputTokens),
  output_tokens: Number(total.outputTokens),
});
