import { formatAmount, parseAmount } from "../core/money/amount.ts";
import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor, UUID } from "../core/page.ts";
import { SECRET_TEXT } from "../core/secret/secret.ts";
import type { Webhook } from "../core/webhook-list.ts";
import type { FindKey } from "../keys/find-key.ts";
import type { CounterThresholds, ListedNotice, NoticeEndpoint, NoticeFilter, NoticeStore } from "../notices/notice.ts";
import { messageOf, testPayload } from "../notices/payload.ts";
import type { SendWebhook } from "../notices/send-webhook.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { FindAccount } from "./find/find-account.ts";
import { accountWithin, keyWithin } from "./find/find-within.ts";

/** A notice, what it says to people, and what became of it at each endpoint. */
export type ShownNotice = ListedNotice & { message: string };

/** What came back of a sample. `said` is the beginning of the response. */
export type TestedWebhook = {
  endpoint: string;
  url: string;
  delivered: boolean;
  status: number | null;
  problem: string | null;
  tookMs: number;
  said: string;
};

/** `usual`: nobody chose these. Percentages of a limit, or amounts left of a purse, in its unit. */
export type WatchedCounter = Omit<CounterThresholds, "thresholds"> & { thresholds: readonly string[] };

/** For an account or a key. Null: what is usual. Absent: as it is. `counter` names one of several. */
export type ThresholdOrder = {
  name: string;
  percent?: readonly number[] | null | undefined;
  left?: readonly string[] | null | undefined;
  counter?: number | undefined;
};

/** Null: whatever it is. `state`: of a delivery of theirs. An account stands for all below it, too. */
export type NoticeQuery = Pick<NoticeFilter, "state" | "cause"> & { account: string | null; key: string | null };

/** `url`: where it is, without its path; null: the log, or a webhook of another process alone. */
export type ShownEndpoint = NoticeEndpoint & { url: string | null };

/** What operators do with notices. */
export type ManageNotices = {
  /** Newest first. */
  list: (page: PageRequest & NoticeQuery, by?: Pick<By, "within">) => Promise<Page<ShownNotice>>;
  /** Where notices go, and what has not arrived there. */
  listEndpoints: () => Promise<readonly ShownEndpoint[]>;
  /** Sends a sample to every webhook, or to one. */
  test: (endpoint: string | null) => Promise<readonly TestedWebhook[]>;
  /** Sends dead letters again: those of one notice, or all. Answers how many. */
  retry: (notice: string | null, by: By) => Promise<{ retried: number }>;
  /** What an account or a key is watched for. */
  thresholds: (of: { name: string }) => Promise<readonly WatchedCounter[]>;
  setThresholds: (order: ThresholdOrder, by: By) => Promise<readonly WatchedCounter[]>;
};

type Parts = {
  findKey: FindKey;
  findAccount: FindAccount;
  store: Pick<NoticeStore, "list" | "endpoints" | "retry" | "countersOf" | "setThresholds">;
  webhooks: readonly Webhook[];
  send: SendWebhook;
  createId: () => string;
  clock: Pick<Clock, "nowMs">;
  events: Pick<OperatorEvents, "thresholdsSet" | "noticesRetried">;
};

const NEWEST_FIRST: Keyset = { list: "notices", values: [/^\d{1,18}$/] };
const SHOWN_CHARACTERS = 200;

export const createManageNotices = (parts: Parts): ManageNotices => ({
  list: listNotices(parts),

  listEndpoints: async () =>
    (await parts.store.endpoints()).map((one) => {
      const webhook = parts.webhooks.find(({ name }) => name === one.endpoint);
      return { ...one, url: webhook === undefined ? null : addressOf(webhook) };
    }),

  test: async (endpoint) =>
    Promise.all(chosenOf(parts.webhooks, endpoint).map((webhook) => testWebhook(parts, webhook))),

  retry: async (notice, by) => {
    const retried = await parts.store.retry(notice === null ? null : noticeIdOf(notice));
    if (retried > 0) parts.events.noticesRetried({ notices: retried, ...by });
    return { retried };
  },

  thresholds: async ({ name }) => (await countersOf(parts, name)).map(watched),

  setThresholds: setThresholds(parts),
});

const listNotices =
  ({ store, findAccount, findKey }: Parts): ManageNotices["list"] =>
  async ({ limit, after, state, cause, account, key }, { within } = {}) => {
    const [last = null] = readCursor(NEWEST_FIRST, after) ?? [];
    const before = last === null ? null : BigInt(last);
    const accountId = account === null ? null : (await accountWithin(findAccount, { name: account, within })).id;
    const keyId = key === null ? null : (await keyWithin(findKey, { name: key, within })).id;
    const filter = { state, cause, accountId, keyId, within: within ?? null };
    const rows = await store.list({ limit: limit + 1, before, ...filter });
    const shown = rows.map((row) => ({ ...row, message: messageOf(row) }));
    return pageOf(shown, { limit, list: NEWEST_FIRST.list, valuesOf: ({ no }) => [String(no)] });
  };

function chosenOf(webhooks: readonly Webhook[], endpoint: string | null): Webhook[] {
  if (webhooks.length === 0)
    throw new Conflict(
      "No webhook is configured. Set notices.webhooks, such as ops=https://hooks.example.com/tollgate whsec_SECRET.",
    );
  const chosen = webhooks.filter(({ name }) => endpoint === null || name === endpoint);
  if (chosen.length === 0)
    throw new Fault(
      "not_found",
      `There is no webhook ${JSON.stringify(endpoint)}. There are: ${webhooks.map(({ name }) => name).join(", ")}.`,
    );
  return chosen;
}

async function testWebhook({ send, createId, clock }: Parts, webhook: Webhook): Promise<TestedWebhook> {
  const payload = testPayload(`notice_test_${createId().replaceAll("-", "")}`, clock.nowMs());
  const { ok, status, problem, tookMs, said } = await send(webhook, payload);
  return {
    endpoint: webhook.name,
    url: addressOf(webhook),
    delivered: ok,
    status,
    problem,
    tookMs: Math.round(tookMs),
    said: shownOf(said, webhook),
  };
}

const setThresholds =
  (parts: Parts): ManageNotices["setThresholds"] =>
  async ({ name, percent, left, counter }, by) => {
    const { store, events } = parts;
    const counters = await countersOf(parts, name);
    const chosen = counters.filter(({ counter: id }) => counter === undefined || id === counter);
    const changes = chosen.flatMap((one) => {
      const given =
        one.kind === "limit"
          ? (percent?.map(percentOf) ?? percent)
          : (left?.map((text) => amountOf(one, text)) ?? left);
      return given === undefined ? [] : [{ id: one.counter, given: given as bigint[] | null }];
    });
    if (changes.length === 0) {
      const lacking = percent === undefined ? "purse" : "limit";
      throw new Conflict(
        `${JSON.stringify(name)} has no ${lacking} of its own${counter === undefined ? "" : ` with the id ${counter}`}. Nothing was changed.`,
      );
    }
    for (const { id, given } of changes) await store.setThresholds(id, given);
    events.thresholdsSet({ counters: changes.map(({ id }) => id), ...by });
    return (await countersOf(parts, name)).map(watched);
  };

/** Of a key, or else of an account. */
async function countersOf({ store, findKey, findAccount }: Parts, name: string): Promise<CounterThresholds[]> {
  const key = await findKey(name).catch(nullIfMissing);
  if (key !== null) return store.countersOf({ keyId: key.id });
  const account = await findAccount(name).catch(nullIfMissing);
  if (account === null)
    throw new Fault(
      "not_found",
      `There is no account or key ${JSON.stringify(name)}. Name an account by its path, such as Acme/Search, or a key by its prefix.`,
    );
  return store.countersOf({ accountId: account.id });
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Fault && error.code === "not_found") return null;
  throw error;
}

/** A path may be a secret of its own. */
const addressOf = ({ url }: Webhook): string => `${new URL(url).origin}/…`;

/** The beginning of a response as a line of text; a receiver that repeats what it was sent repeats no secret. */
const shownOf = (said: string, { secrets }: Webhook): string =>
  secrets
    .reduce((text, secret) => text.replaceAll(secret, SECRET_TEXT), said)
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, SHOWN_CHARACTERS);

const watched = (one: CounterThresholds): WatchedCounter => ({
  ...one,
  thresholds: one.thresholds.map((mark) => (one.kind === "limit" ? String(mark) : formatAmount(one.unit, mark))),
});

function percentOf(percent: number): bigint {
  if (!Number.isInteger(percent) || percent < 1 || percent > 100)
    throw new Fault("invalid_request", `A limit is watched at 1 to 100 percent, not ${percent}.`, { param: "percent" });
  return BigInt(percent);
}

function amountOf({ unit }: CounterThresholds, text: string): bigint {
  const amount = parseAmount(unit, text);
  if (amount === null || amount < 0n)
    throw new Fault(
      "invalid_request",
      `${JSON.stringify(text)} is not an amount of ${unit === "credit" ? "credits" : "tokens"}.`,
      { param: "left" },
    );
  return amount;
}

/** As it is listed, or as a receiver knows it. */
function noticeIdOf(text: string): string {
  const [, ...parts] =
    /^(?:notice_)?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i.exec(text) ?? [];
  const id = parts.join("-").toLowerCase();
  if (!UUID.test(id))
    throw new Fault(
      "not_found",
      `${JSON.stringify(text)} is not the id of a notice. \`tollgate notices list\` shows the ids.`,
    );
  return id;
}
