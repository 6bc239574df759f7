import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { NO_USAGE, type Usage } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import type { Ask, ServedFacts } from "../../src/ledger/ledger.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { ENGINES } from "./engines.ts";

const NOON_MS = Date.UTC(2026, 0, 15, 12);
const FLEX: ServedFacts = {
  provider: "openai",
  upstreamModel: "gpt-5.6-terra",
  credential: "env:OPENAI_API_KEY",
  tier: "flex",
  region: "eu",
  said: "",
};
const OTHERWISE: ServedFacts = { ...FLEX, tier: "default", region: "any", said: "tier ultrafast" };
const usage: Usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4, parts: { input_audio: 2 } };

describe.each(ENGINES)("how a request was served, on $name", ({ open, reason }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let key: LoneKey;

  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    await database.query("update test_clock set now = $1, started = $1", [new Date(NOON_MS)]);
    key = await loneKey(database, { keyId: createId(NOON_MS), funds: 10_000n });
  });
  afterAll(() => close());

  const admitted = async (count: number): Promise<Ask[]> => {
    const asks = Array.from({ length: count }, () => askOf(key, { id: createId(NOON_MS) }));
    await createLedgerStore(database).admit(createId(NOON_MS), asks);
    return asks;
  };
  const charged = (asks: readonly Ask[]) =>
    database.query<Record<string, unknown>>(
      `select provider, upstream_model as "upstreamModel", credential, tier, region, said, more from charge_in_words
        where hold_id = any ($1::uuid[]) order by array_position($1::uuid[], hold_id)`,
      [asks.map(({ id }) => id)],
    );
  const record = { provider: "openai", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };

  test.skipIf(reason !== null)("is in the journal, of an end alone and of several", async () => {
    const ledger = createLedgerStore(database);
    const asks = await admitted(3);
    const [one, two, three] = asks.map((ask) => endOf(ask, { record, usage }));
    if (!one || !two || !three) throw new Error("three were admitted");
    await ledger.settle([{ ...one, served: FLEX }]);
    await ledger.settle([
      { ...two, served: OTHERWISE },
      { ...three, served: null, usage: NO_USAGE },
    ]);

    expect(await charged(asks)).toEqual([
      { ...FLEX, more: { parts: { input_audio: 2 } } },
      { ...OTHERWISE, more: { parts: { input_audio: 2 } } },
      {
        provider: "openai",
        upstreamModel: null,
        credential: null,
        tier: "default",
        region: "any",
        said: null,
        more: null,
      },
    ]);
  });

  test.skipIf(reason !== null)("of one that is swept is what its last checkpoint says", async () => {
    const ledger = createLedgerStore(database);
    const asks = await admitted(1);
    const [{ id, keyId, bucket }] = asks as [Ask];
    const told = { id, keyId, bucket, credits: 5n, usage, contentDelivered: true };
    await ledger.checkpoint([{ ...told, seq: 1, served: OTHERWISE }]);
    await ledger.checkpoint([{ ...told, seq: 2, served: FLEX }]);
    await ledger.checkpoint([{ ...told, seq: 1, served: OTHERWISE }]);
    // A sweeper that has renewed its lease for long.
    await database.query("update test_clock set now = now + interval '1 hour'");
    const sweeper = createId(NOON_MS);
    await ledger.heartbeat(sweeper);
    await database.query("update process set renewing_since = renewing_since - interval '1 hour'");

    expect(await ledger.sweep(sweeper, 10)).toMatchObject({ swept: [{ id }] });
    expect(await charged(asks)).toEqual([{ ...FLEX, provider: null, more: { parts: { input_audio: 2 } } }]);
    await database.query("update test_clock set now = $1, started = $1", [new Date(NOON_MS)]);
  });

  test.skipIf(reason !== null)("has one number, whoever names it first", async () => {
    const facts = { ...FLEX, region: "us" };
    const asks = await admitted(6);
    await Promise.all(
      asks.map((ask) => createLedgerStore(database).settle([{ ...endOf(ask, { record }), served: facts }])),
    );

    expect((await charged(asks)).map((row) => row["region"])).toEqual(Array.from(asks, () => "us"));
    const rows = await database.query("select no from served where region = 'us'");
    expect(rows).toHaveLength(1);
  });

  test.skipIf(reason !== null)("is asked for once, and kept for ever", async () => {
    await expect(database.query("update served set tier = 'priority'")).rejects.toThrow();
    await expect(database.query("delete from served")).rejects.toThrow();
  });

  test.skipIf(reason !== null)("with names of any length and kind is still settled", async () => {
    const odd = { ...FLEX, upstreamModel: `${"\ud800".repeat(2)}\0${"ß".repeat(400)}`, said: "region \0" };
    const asks = await admitted(1);
    const [ask] = asks as [Ask];

    expect(await createLedgerStore(database).settle([{ ...endOf(ask, { record }), served: odd }])).toMatchObject([
      { kind: "settled" },
    ]);
    expect(await charged(asks)).toMatchObject([{ said: "region \u{fffd}" }]);
  });
});
