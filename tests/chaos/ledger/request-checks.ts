import type { Check, ClientEntry, Evidence, ProviderEntry } from "./evidence.ts";
import { groupBy } from "./money-checks.ts";
import { join, type Orphan, type Story } from "./stories.ts";
import { priceOf } from "./tariff.ts";

/** How far above the tokenizer's count an estimate may lie; see the test of the estimator. */
const ESTIMATE_ABOVE = 1.25;
/** A provider that says nothing about usage is charged for by the tokenizer, whose words are not the simulator's. */
const COUNT_BELOW = 0.75;
const CLOCK_SLACK_MS = 1;
/** The first content is written down within a fifth of a second; a busy machine is given many times that. */
const WRITTEN_DOWN_MS = 2_000;

/** I3: whoever saw the end of an answer had been charged exactly its price before. Counts the answers seen whole. */
export const paidBeforeTold: Check = (evidence) => {
  const told = join(evidence).stories.filter(({ client }) => client.terminalAtMs !== null && !client.replayed);
  return { counted: told.length, violations: told.flatMap(unpaid) };
};

function unpaid(story: Story): string[] {
  const { client, charge, net } = story;
  const name = `${client.holdId} (${client.marker})`;
  if (charge === null) return [`${name}: completed and not charged`];
  if (charge.kind !== "completed") return [`${name}: seen whole, but its charge is ${charge.kind}`];
  const late = charge.atMs > (client.terminalAtMs ?? 0) + CLOCK_SLACK_MS;
  return [
    ...(late ? [`${name}: charged at ${charge.atMs}, told at ${client.terminalAtMs}`] : []),
    ...wrongPrice(story, net, name),
  ];
}

function wrongPrice({ client, calls, unit }: Story, net: bigint, name: string): string[] {
  const whole = calls.filter(({ ended, status }) => ended === "completed" && status === 200);
  if (whole.length === 0) return [`${name}: seen whole, but the provider completed nothing`];
  const { usage, countedTokens } = whole[0] as ProviderEntry;
  if (usage !== null) {
    const price = priceOf(unit, usage);
    const seen = client.usage;
    const told = seen === null || (seen.inputTokens === usage.inputTokens && seen.outputTokens === usage.outputTokens);
    return [
      ...(net === price ? [] : [`${name}: charged ${net}, the provider's usage costs ${price}`]),
      ...(told ? [] : [`${name}: the caller was told another usage than the provider sent`]),
    ];
  }
  const most = mostFor({ client, countedTokens, unit });
  const least = priceOf(unit, { inputTokens: 0, outputTokens: Math.floor(countedTokens * COUNT_BELOW) });
  return net >= least && net <= most ? [] : [`${name}: estimated at ${net}, not between ${least} and ${most}`];
}

/** I4: at most one positive charge per request id and per Idempotency-Key. Counts positive charges. */
export const chargedOnce: Check = (evidence) => {
  const { ledger } = evidence;
  const { stories, orphans } = join(evidence);
  const ids = ledger.charges.map(({ holdId }) => holdId);
  const first = new Map(ids.map((id, index) => [id, index]));
  const twice = ids.filter((id, index) => first.get(id) !== index);
  const claimed = stories.filter(({ client }) => client.claim !== null);
  const runs = [...groupBy(claimed, ({ client }) => claimOf(client))].flatMap(([name, attempts]) => {
    const paid = new Set(attempts.filter(({ net }) => net > 0n).map(({ client }) => client.holdId));
    return paid.size > 1 ? [`${name}: ${paid.size} positive charges`] : [];
  });
  const positive = [...stories, ...orphans].filter(({ net }) => net > 0n);
  const open = new Set(ledger.holds.map(({ id }) => id));
  return {
    counted: positive.length,
    violations: [
      ...twice.map((id) => `${id}: more than one charge`),
      ...ids.filter((id) => open.has(id)).map((id) => `${id}: charged and still held`),
      ...runs,
    ],
  };
};

/**
 * I5: what was not seen whole costs at most its input and what was delivered, and something when it was swept long after its
 * first content; a refusal costs nothing.
 */
export const incompleteWithinBounds: Check = (evidence) => {
  const { stories, orphans } = join(evidence);
  const incomplete = stories.filter(({ client }) => client.terminalAtMs === null && client.holdId !== null);
  return {
    counted: incomplete.length + orphans.length,
    violations: [
      ...incomplete.flatMap(overcharged),
      ...sweptLate(evidence).flatMap(sweptForNothing),
      ...unexplained(evidence, orphans),
    ],
  };
};

/**
 * Streams that nobody ended but the sweeper, and whose process had lived on after their first content. One whose caller was told of
 * an error had a process that slept and woke up, and nobody knows for how long it lived.
 */
export const sweptLate = (evidence: Evidence): Story[] =>
  join(evidence).stories.filter(({ client: { contentAtMs, endedAtMs, code }, charge }) => {
    const livedMs = contentAtMs === null || code !== null ? 0 : endedAtMs - contentAtMs;
    return charge?.kind === "swept" && livedMs > WRITTEN_DOWN_MS;
  });

/** Refunded or not: at the last checkpoint there is at least the input to be paid. */
const sweptForNothing = ({ client, charge }: Story): string[] =>
  charge?.amount === 0n ? [`${client.holdId} (${client.marker}): delivered for a while and swept for nothing`] : [];

function overcharged({ client, calls, charge, net, unit }: Story): string[] {
  const name = `${client.holdId} (${client.marker})`;
  const refused = client.status !== null && client.status >= 400;
  if (net < 0n) return [`${name}: more was given back than charged`];
  // What a provider's failure waives is charged beyond the cap, if the caller has been sent 200 and that content.
  if (refused || (client.code !== null && charge?.kind !== "upstream_failed"))
    return net === 0n ? [] : [`${name}: told ${client.status} ${client.code} and charged ${net}`];
  const most = mostOf(client, calls, unit);
  return net <= most ? [] : [`${name}: not seen whole and charged ${net}, at most ${most} is right`];
}

/**
 * Charges that no caller heard of must each belong to an attempt that heard nothing. Which is which cannot be told, so the
 * dearest are laid beside the dearest: if that does not fit, nothing does.
 */
function unexplained({ clients, calls }: Evidence, orphans: readonly Orphan[]): string[] {
  const callsByMarker = groupBy(calls, ({ marker }) => marker);
  const deaf = groupBy(
    clients.filter(({ holdId }) => holdId === null),
    ({ keyId }) => keyId,
  );
  return [...groupBy(orphans, ({ charge }) => charge.keyId)].flatMap(([keyId, charged]) => {
    const unit = charged[0]?.unit ?? "credit";
    const bounds = (deaf.get(keyId) ?? []).map((client) =>
      mostOf(client, callsByMarker.get(client.marker) ?? [], unit),
    );
    const dear = charged.filter(({ net }) => net > 0n).toSorted((one, two) => descending(one.net, two.net));
    const room = bounds.toSorted(descending);
    return dear.flatMap(({ net, charge: { kind, holdId } }, index) =>
      net <= (room[index] ?? 0n) ? [] : [`${keyId}: a charge of ${net} (${kind}, ${holdId}) that no attempt explains`],
    );
  });
}

function mostOf(client: ClientEntry, calls: readonly ProviderEntry[], unit: Story["unit"]): bigint {
  return calls.reduce((most, call) => {
    const estimated = mostFor({ client, countedTokens: call.countedTokens, unit });
    const reported = call.usage !== null && call.ended === "completed" ? priceOf(unit, call.usage) : 0n;
    return [most, estimated, reported].reduce((one, two) => (one > two ? one : two));
  }, 0n);
}

function mostFor({
  client,
  countedTokens,
  unit,
}: {
  client: ClientEntry;
  countedTokens: number;
  unit: Story["unit"];
}): bigint {
  return priceOf(unit, {
    inputTokens: Math.ceil(client.estimatedInputTokens * ESTIMATE_ABOVE),
    outputTokens: Math.ceil(countedTokens * ESTIMATE_ABOVE),
  });
}

/** I9: a replay is the first answer byte for byte, and after a positive charge nobody asks the provider again. */
export const replaysAreEqual: Check = (evidence) => {
  const { stories } = join(evidence);
  const claimed = stories.filter(({ client }) => client.claim !== null);
  return {
    counted: claimed.filter(({ client }) => client.replayed).length,
    violations: [...groupBy(claimed, ({ client }) => claimOf(client))].flatMap(([name, attempts]) => [
      ...unequalReplays(name, attempts),
      ...dispatchedAgain(name, attempts),
    ]),
  };
};

function unequalReplays(name: string, attempts: readonly Story[]): string[] {
  const whole = attempts.filter(({ client }) => client.terminalAtMs !== null).map(({ client }) => client.sha256);
  return new Set(whole).size <= 1 ? [] : [`${name}: ${new Set(whole).size} different answers`];
}

function dispatchedAgain(name: string, attempts: readonly Story[]): string[] {
  const paidAtMs = Math.min(...attempts.filter(({ net }) => net > 0n).map(({ charge }) => charge?.atMs ?? Infinity));
  const later = (attempts[0]?.calls ?? []).filter(({ receivedAtMs }) => receivedAtMs > paidAtMs);
  return later.length === 0 ? [] : [`${name}: the provider was asked again after it had been charged`];
}

const claimOf = ({ keyId, claim }: ClientEntry): string => `${keyId} ${claim}`;
const descending = (one: bigint, two: bigint): number => (one < two ? 1 : -1);
