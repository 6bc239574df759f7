import type { UsageGroup } from "../../core/money/usage-group.ts";

/** Whose usage it is: everybody's, a key's, or that of all keys that were below an account when they used it. */
export type UsageScope = { kind: "all" } | { kind: "key" | "account"; id: string };

export type UsageTotal = {
  /** What was charged, in each unit. */
  credits: bigint;
  tokens: bigint;
  requests: number;
  /** Of the requests, those that were charged for what had been delivered when they ended early. */
  cutOff: number;
  inputTokens: number;
  outputTokens: number;
};

/** Sums of a day or of a group: one of the two is named. */
export type UsageSum = Record<keyof UsageTotal, bigint> & {
  day: string | null;
  /** What tells a group from others: an id, or a word. */
  group: string | null;
  name: string | null;
};

/** `groups`: how many there are, of which the dearest are among the sums. */
export type UsageSums = { today: string; groups: number; sums: UsageSum[] };
export type AskedUsage = { scope: UsageScope; days: number; by: UsageGroup };
export type ReadUsage = (asked: AskedUsage) => Promise<UsageSums>;

export type UsageOf = {
  by: UsageGroup;
  /** Oldest first, without a gap, today included. */
  days: readonly (UsageTotal & { day: string })[];
  /** Dearest first. */
  groups: readonly (UsageTotal & { id: string; name: string })[];
  /** How many groups are not listed. The days have them, too. */
  moreGroups: number;
};

export type ReportUsage = (asked: AskedUsage) => Promise<UsageOf>;

const DAY_MS = 86_400_000;

/** What was used lately, by day and by something else. */
export const createReportUsage =
  ({ readUsage }: { readUsage: ReadUsage }): ReportUsage =>
  async (asked) => {
    const { today, groups: inAll, sums } = await readUsage(asked);
    const byDay = new Map(sums.flatMap((sum) => (sum.day === null ? [] : [[sum.day, totalOf(sum)] as const])));
    const calendar = Array.from({ length: asked.days }, (_, index) =>
      new Date(Date.parse(today) - (asked.days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
    );
    const groups = sums
      .flatMap((sum) => (sum.group === null ? [] : [{ id: sum.group, name: sum.name ?? "", ...totalOf(sum) }]))
      .toSorted((one, other) => dearest(one, other) || (one.name < other.name ? -1 : 1));
    return {
      by: asked.by,
      days: calendar.map((day) => ({ day, ...(byDay.get(day) ?? NOTHING) })),
      groups,
      moreGroups: inAll - groups.length,
    };
  };

const NOTHING: UsageTotal = { credits: 0n, tokens: 0n, requests: 0, cutOff: 0, inputTokens: 0, outputTokens: 0 };

function dearest(one: UsageTotal, other: UsageTotal): number {
  if (one.credits !== other.credits) return one.credits < other.credits ? 1 : -1;
  if (one.tokens !== other.tokens) return one.tokens < other.tokens ? 1 : -1;
  return other.requests - one.requests;
}

const totalOf = ({ credits, tokens, requests, cutOff, inputTokens, outputTokens }: UsageSum): UsageTotal => ({
  credits,
  tokens,
  requests: Number(requests),
  cutOff: Number(cutOff),
  inputTokens: Number(inputTokens),
  outputTokens: Number(outputTokens),
});
