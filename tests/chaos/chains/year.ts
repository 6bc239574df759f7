import { createOperator } from "../../../src/app/create-operator.ts";
import { openProviderCredentials } from "../../../src/app/catalogue/provider-credentials.ts";
import { createCatalogueStore } from "../../../src/catalogue/catalogue-store.ts";
import type { Amounts } from "../../../src/core/money/amount.ts";
import { createId } from "../../../src/core/ids.ts";
import { madeAtMs } from "../../../src/core/made-at.ts";
import { creditRate } from "../../../src/core/money/pay-rate.ts";
import type { Tariff, When, WhenLine } from "../../../src/core/money/price.ts";
import { isPeak, tiersSold } from "../../../src/core/money/rate-rows.ts";
import { NO_USAGE, type Outcome, type Usage } from "../../../src/core/money/usage.ts";
import type { Database } from "../../../src/db/database.ts";
import { createChainFor } from "../../../src/gateway/chain-for.ts";
import { createFindKey } from "../../../src/keys/find-key.ts";
import type { Key } from "../../../src/keys/key.ts";
import { createKeyStore } from "../../../src/keys/key-store.ts";
import { createLedgerStore } from "../../../src/ledger/turn/ledger-store.ts";
import type { Ask, BatchVerdict, Settlement } from "../../../src/ledger/ledger.ts";
import type { Operator } from "../../../src/operator/operator.ts";
import type { OperatorEvents } from "../../../src/telemetry/operator-events.ts";
import { seeded } from "./storm.ts";

/** A request as whoever made it remembers it. */
export type Made = {
  id: string;
  keyId: string;
  bucket: number;
  /** Such as 2026-03. */
  month: string;
  /** The accounts above its key at that time, from the root down. */
  accounts: readonly string[];
  charged: Amounts;
  usage: Usage;
  voided: boolean;
};
export type Returned = { month: string; of: Made; amounts: Amounts };

/** An organisation's time, with its clock in the test's hands, and a memory of all that was asked for. */
export type Year = {
  operator: Operator;
  made: readonly Made[];
  returned: readonly Returned[];
  /** Requests that found too little, by what was lacking. */
  refused: readonly { keyId: string; month: string; verdict: BatchVerdict }[];
  nowMs: () => number;
  month: () => string;
  findKey: (keyId: string) => Promise<Key>;
  /** The house is kept on the way: every hour that ends is added up. */
  moveTo: (ms: number) => Promise<void>;
  /** Each of these keys makes so many requests at once, and again. */
  work: (keyIds: readonly string[], often: { rounds: number; atOnce: number }) => Promise<void>;
  giveBack: (of: Made, amounts: Amounts) => Promise<void>;
  undo: (of: Made) => Promise<void>;
  changePrice: (model: string, parts: { inputNano: bigint; outputNano: bigint }) => Promise<void>;
};

export const OPERATOR = { actor: "olga" };

const HOUR_MS = 3_600_000;
/** The keeper of the sums may be away for a week. */
const STEP_MS = 6 * 24 * HOUR_MS;
const MODELS = ["small", "large"] as const;
const NO_EVENTS = new Proxy({} as OperatorEvents, { get: () => () => undefined });

export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

export async function openYear(
  database: Database,
  { startMs, seed, prices = "plain" }: { startMs: number; seed: number; prices?: "plain" | "every row" },
): Promise<Year> {
  let nowMs = startMs;
  const random = seeded(seed);
  await takeClock(database, startMs);
  const clock = { nowMs: () => nowMs, elapsedMs: () => performance.now() };
  const credentials = openProviderCredentials(
    { key: null, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  const operator = createOperator({ database, credentials, events: NO_EVENTS, clock, acceptForeign: "off" });
  const ledger = createLedgerStore(database);
  const catalogue = await openCatalogue(database, prices);
  const findKey = createFindKey({ store: createKeyStore(database) });
  const requests = createRequests({ ledger, findKey, priceOf: catalogue.priceOf, random, clock });

  async function moveTo(ms: number): Promise<void> {
    while (nowMs < ms) {
      nowMs = Math.min(ms, nowMs + STEP_MS);
      await database.query("update year_clock set now = $1", [new Date(nowMs)]);
      const due = await database.query<{ hour: Date }>("select hour from rollup_due_v1(1000) hour");
      await database.query("select rollup_v1(hour) from unnest($1::timestamptz[]) hour", [due.map(({ hour }) => hour)]);
    }
    // Some days have a place of their own in the journal, as all have in life; each makes every look at the journal slower.
    const day = new Date(nowMs);
    const isApart = day.getUTCDate() === 2 && day.getUTCMonth() % 3 === 2;
    if (isApart) await database.query("select partition_v1($1::date)", [day.toISOString().slice(0, 10)]);
  }

  return {
    operator,
    ...requests,
    nowMs: () => nowMs,
    month: () => monthOf(nowMs),
    findKey,
    moveTo,
    changePrice: async (model, parts) => {
      await operator.catalogue.changePrice(model, { parts, fromMs: null }, OPERATOR);
      await catalogue.refresh();
    },
  };
}

/** Ids are made by the same clock, so that the ledger takes them. */
const takeClock = (database: Database, startMs: number): Promise<void> =>
  database.script(`
    create table year_clock (now timestamptz not null);
    insert into year_clock values ('${new Date(startMs).toISOString()}');
    create or replace function ledger_now() returns timestamptz language sql volatile as 'select now from year_clock';
    update migration set applied_at = ledger_now();
    delete from rollup_owed;
    insert into rollup_owed (hour, why) values (ledger_now(), 'hour');
  `);

/** Media apart, and every kind of line: a size, tiers, a region and hours. */
const factor = (when: When, times: bigint): WhenLine => ({
  when,
  nano: {},
  toolCallNano: {},
  times: times * 1_000_000_000n,
  sold: true,
});
const LINES = {
  outputReasoningNano: 61_000_000_001n,
  inputAudioNano: 40_000_000_003n,
  outputImageNano: 90_000_000_009n,
  when: [
    factor({ inputAbove: 3_000 }, 2n),
    factor({ tier: "flex" }, 3n),
    factor({ tier: "priority" }, 5n),
    factor({ tier: "priority", inputAbove: 3_500 }, 2n),
    factor({ region: "eu" }, 7n),
    factor({ hours: "mon-fri 08:00-18:00 except 2026-05-01" }, 2n),
  ],
};

type InForce = { version: number; tariff: Tariff };
type PriceOf = (model: string) => InForce;

/** Two models with every part of a price. */
async function openCatalogue(database: Database, rows: "plain" | "every row") {
  const store = createCatalogueStore(database);
  await store.addProvider({ name: "acme", baseUrl: "http://127.0.0.1:9/v1", credentialRef: "env:ACME_KEY" }, "keep");
  const dear = { small: 1n, large: 12n };
  for (const id of MODELS) {
    const nano = (credits: bigint): bigint => credits * dear[id] * 1_000_000_000n;
    await store.addModel({
      id,
      displayName: null,
      contextWindow: 100_000,
      maxOutputTokens: 4_000,
      tariff: {
        inputNano: nano(1n) + 7n,
        outputNano: nano(5n) + 3n,
        cacheReadNano: nano(1n) / 10n,
        cacheWrite5mNano: nano(2n),
        cacheWrite1hNano: nano(3n),
        toolCallNano: { search: 5_000_000n },
        ...(id === "large" && rows === "every row" ? LINES : {}),
      },
      route: { provider: "acme", upstreamModel: id, dialect: "chat" },
      publication: "published",
    });
  }
  const prices = new Map<string, InForce>();
  const refresh = async (): Promise<void> => {
    for (const id of MODELS) {
      const newest = (await store.prices(id))?.at(-1);
      if (newest !== undefined) prices.set(id, { version: newest.version, tariff: newest });
    }
  };
  await refresh();
  const priceOf: PriceOf = (model) => {
    const found = prices.get(model);
    if (found === undefined) throw new Error(`model ${model} has no price`);
    return found;
  };
  return { priceOf, refresh };
}

type RequestParts = {
  ledger: ReturnType<typeof createLedgerStore>;
  findKey: Year["findKey"];
  priceOf: PriceOf;
  random: () => number;
  clock: { nowMs: () => number };
};
type Planned = { key: Key; ask: Ask; settlement: Settlement };

function createRequests({ ledger, findKey, priceOf, random, clock }: RequestParts) {
  const chainFor = createChainFor({ ledger });
  const processId = createId(clock.nowMs());
  const made: Made[] = [];
  const returned: Returned[] = [];
  const refused: { keyId: string; month: string; verdict: BatchVerdict }[] = [];
  const month = (): string => monthOf(clock.nowMs());

  async function plan(key: Key): Promise<Planned> {
    const model = random() < 0.7 ? "small" : "large";
    const chain = await chainFor(key, model);
    if (chain === null) throw new Error(`key ${key.prefix} was read, and has changed since`);
    const { version, tariff } = priceOf(model);
    const usage = usageOf(random);
    const id = createId(clock.nowMs());
    const asked = oneOf(random, ["default", ...tiersSold(tariff)]);
    const rate = creditRate(tariff, asked, isPeak(tariff, madeAtMs(id)));
    const price = inUnits(chain.units, { credits: rate.costOf(usage), tokens: tokensOf(usage) });
    const { tier, region } = rate.servedAs(usage);
    const served = { provider: "acme", upstreamModel: model, credential: "env:ACME_KEY", tier, region, said: "" };
    // One in fifty costs more than was set aside.
    const aside = (amount: bigint): bigint => (random() < 0.02 ? (amount * 9n) / 10n : (amount * 5n) / 4n);
    const most = each(price, aside);
    const { bucket } = key;
    const about = { id, bucket, keyId: key.id, chain: chain.ref };
    return {
      key,
      ask: {
        ...about,
        keyVersion: key.version,
        rpmLimit: null,
        least: each(most, (amount) => (amount * 3n) / 4n),
        most,
        unlimited: false,
        model,
        priceVersion: version,
        lifetimeMs: 600_000,
        claim: null,
      },
      settlement: { ...about, ...endOf(price, usage, outcomeOf(random)), served },
    };
  }

  return {
    made,
    returned,
    refused,
    work: async (keyIds: readonly string[], { rounds, atOnce }: { rounds: number; atOnce: number }): Promise<void> => {
      await ledger.heartbeat(processId);
      const keys = await Promise.all(keyIds.map(findKey));
      for (let round = 0; round < rounds; round++) {
        const planned = await Promise.all(keys.flatMap((key) => Array.from({ length: atOnce }, () => plan(key))));
        const verdicts = await ledger.admit(
          processId,
          planned.map(({ ask }) => ask),
        );
        const open = planned.filter((_, place) => verdicts[place]?.kind === "admitted");
        const settled = await ledger.settle(open.map(({ settlement }) => settlement));
        for (const [place, verdict] of verdicts.entries())
          if (verdict.kind !== "admitted")
            refused.push({ keyId: planned[place]?.key.id ?? "", month: month(), verdict });
        for (const [place, { key, settlement }] of open.entries()) {
          const end = settled[place];
          if (end?.kind !== "settled") throw new Error(`request ${settlement.id} was ${end?.kind}`);
          const { id, accounts, bucket } = key;
          const { charged } = end;
          const { usage } = settlement;
          made.push({ id: settlement.id, keyId: id, bucket, month: month(), accounts, charged, usage, voided: false });
        }
      }
    },
    giveBack: async (of: Made, amounts: Amounts): Promise<void> => {
      const reference = `complaint ${returned.length + 1}`;
      const { kind } = await ledger.refund({
        keyId: of.keyId,
        reference,
        about: of.id,
        amounts,
        actor: OPERATOR.actor,
      });
      if (kind !== "funded") throw new Error(`a refund of ${of.id} was ${kind}`);
      returned.push({ month: month(), of, amounts });
    },
    undo: async (of: Made): Promise<void> => {
      const [done] = await ledger.void([{ id: of.id, bucket: of.bucket, keyId: of.keyId }]);
      if (done?.kind !== "voided") throw new Error(`request ${of.id} could not be undone`);
      of.voided = true;
    },
  };
}

const each = ({ credits, tokens }: Amounts, change: (amount: bigint) => bigint): Amounts => ({
  credits: credits === null ? null : change(credits),
  tokens: tokens === null ? null : change(tokens),
});

const inUnits = (units: readonly string[], { credits, tokens }: Amounts): Amounts => ({
  credits: units.includes("credit") ? credits : null,
  tokens: units.includes("tokens") ? tokens : null,
});

const tokensOf = ({ inputTokens, outputTokens }: Usage): bigint => BigInt(inputTokens + outputTokens);

function usageOf(random: () => number): Usage {
  const inputTokens = 200 + Math.floor(random() * 4_000);
  const outputTokens = 20 + Math.floor(random() * 1_500);
  const cached = random() < 0.4;
  const cacheWriteTokens = cached ? Math.floor(inputTokens * 0.3) : 0;
  return {
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    cacheReadTokens: cached ? Math.floor(inputTokens * 0.5) : 0,
    cacheWriteTokens,
    cacheWrite1hTokens: Math.floor(cacheWriteTokens * random()),
    reasoningTokens: Math.floor(outputTokens * 0.2),
    toolCalls: random() < 0.1 ? { search: 1 + Math.floor(random() * 3) } : {},
    ...(random() < 0.2 ? { parts: { input_audio: 7, output_image: 11 } } : {}),
    served: {
      tier: oneOf(random, ["default", "flex", "priority", "turbo"]),
      region: oneOf(random, ["any", "eu", "us"]),
    },
  };
}

const oneOf = (random: () => number, names: readonly string[]): string =>
  names[Math.floor(random() * names.length)] ?? "default";

function outcomeOf(random: () => number): Outcome {
  if (random() < 0.9) return "completed";
  return random() < 0.5 ? "client_gone" : random() < 0.5 ? "upstream_failed" : "timed_out";
}

function endOf(price: Amounts, usage: Usage, outcome: Outcome) {
  const nothing = each(price, () => 0n);
  const failed = outcome === "upstream_failed";
  return {
    outcome,
    price: failed ? nothing : price,
    usage,
    digest: null,
    contentDelivered: true,
    record:
      outcome === "client_gone"
        ? null
        : { provider: "acme", status: failed ? 502 : 200, firstByteMs: 100, tookMs: 900, estimated: false },
    answer: null,
    absorbed: nothing,
    waived: failed ? price : nothing,
    capPerHour: 10n ** 18n,
    accountCapPerHour: 10n ** 18n,
  };
}
