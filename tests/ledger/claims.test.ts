import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { namesOf, PROCESSES } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { rest, type Target } from "./drive.ts";
import { SERVERS } from "./engines.ts";
import type { AskFields, EndFields } from "../support/lone-key.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";

const server = SERVERS[0];
const reason = server === undefined ? "no server" : server.reason;
const DAY_MS = 86_400_000;
const CLAIM = { keySha256: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2) };
const ANSWER = { status: 200, contentType: "application/json", body: Buffer.from("kept") };
const RECORD = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };

/** A verdict on a request decides its rate, its claim and its money at once: a refusal for one of them takes none of the others. */
describe.skipIf(reason !== null)("what belongs together happens together", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let driven: Target;
  let target: LoneLedger;
  let names = namesOf(0);
  let run = 500;
  let asked = 0;

  beforeAll(async () => {
    if (server) ({ database, close } = await server.open());
  });
  afterAll(() => close());
  beforeEach(async () => {
    run += 1;
    names = namesOf(run);
    driven = await databaseTarget(database, Date.UTC(2026, 0, 5, 12) + run * 100 * DAY_MS);
    target = loneLedger(driven);
    const keyId = names.keyId(0);
    await target.createKey(keyId, "credit");
    await target.heartbeat(names.processId(0));
    await target.purchase(keyId, 100n);
    return () => rest(driven, names);
  });

  const ask = (fields: AskFields = {}): Ask =>
    target.ask(names.keyId(0), {
      id: names.requestId((asked += 1)),
      rpmLimit: 100,
      least: 10n,
      most: 40n,
      claim: CLAIM,
      ...fields,
    });
  const admit = (...asks: Ask[]) => target.admit(names.processId(0), asks);
  const end = (of: Ask, fields: EndFields = {}) => ({ of, record: RECORD, answer: ANSWER, usage: NO_USAGE, ...fields });
  const seen = async () => {
    const sql = `select b.held, b.rate,
        (select count(*)::int from idempotency i where i.key_id = b.key_id) as claims,
        (select count(*)::int from hold h where h.key_id = b.key_id) as holds,
        (select count(*)::int from charge c where c.key_no = b.key_no and c.reported
            and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')) as records
       from balance b where b.key_id = $1`;
    type Row = { held: bigint; rate: bigint[]; claims: number; holds: number; records: number };
    const [row] = await database.query<Row>(sql, [names.keyId(0)]);
    const { rate = [], ...rest } = row ?? {};
    return { ...rest, counted: rate.reduce((sum, second) => sum + Number(second & 1_023n), 0) };
  };

  test("a call that is repeated finds its own claim and gets the original grant, not a conflict [IDM-20]", async () => {
    const first = ask();
    await admit(first);

    expect(await admit(first)).toMatchObject([{ kind: "already", amount: 40n }]);
    expect(await admit(ask())).toMatchObject([{ kind: "in_progress" }]);
    expect(await seen()).toMatchObject({ held: 40n, claims: 1, holds: 1 });
  });

  test("a request that finds its claim in use hears how long the other has been running, and not how long others have [IDM-15]", async () => {
    const waits = async (): Promise<unknown> => (await admit(ask()))[0];
    await admit(ask());

    expect(await waits()).toMatchObject({ kind: "in_progress", retryAfterMs: 0 });
    await target.advance(7_250);
    await admit(ask({ claim: { ...CLAIM, keySha256: Buffer.alloc(32, 9) } }));
    expect(await waits()).toMatchObject({ kind: "in_progress", retryAfterMs: 7_250 });
    await target.advance(60_000);
    expect(await waits()).toMatchObject({ kind: "in_progress", retryAfterMs: 67_250 });
  });

  test.each<[why: string, kind: string, fields: AskFields, counted: number]>([
    ["its key has changed", "stale_key", { keyVersion: 9 }, 0],
    ["it is over its rate", "rate_limited", { rpmLimit: 1 }, 1],
    ["there is no money", "insufficient", { least: 500n, most: 500n }, 2],
  ])(
    "a request that is refused because %s holds nothing and claims nothing [ORD-10] [IDM-23]",
    async (_why, kind, fields, counted) => {
      if (fields.rpmLimit !== undefined || fields.least !== undefined)
        await admit(ask({ claim: null, least: 0n, most: 0n }));

      expect(await admit(ask(fields))).toMatchObject([{ kind }]);
      expect(await seen()).toEqual({ held: 0n, counted, claims: 0, holds: 0, records: 0 });
    },
  );

  test("a request that is refused for its claim holds nothing [ORD-10] [IDM-23]", async () => {
    await admit(ask());

    expect(await admit(ask(), ask({ claim: { ...CLAIM, fingerprint: Buffer.alloc(32, 3) } }))).toMatchObject([
      { kind: "in_progress" },
      { kind: "key_reuse" },
    ]);
    expect(await seen()).toMatchObject({ held: 40n, claims: 1, holds: 1 });
  });

  test("an answer that cannot be kept is not charged for either: both happen or none [IDM-24]", async () => {
    const first = ask();
    await admit(first);
    const impossible = { ...ANSWER, status: 2 ** 40 };
    await expect(target.settle([end(first, { answer: impossible })])).rejects.toThrow();
    expect(await seen()).toMatchObject({ held: 40n, claims: 1, holds: 1, records: 0 });

    expect(await target.settle([end(first)])).toEqual([{ kind: "settled", charged: 7n }]);
    expect(await admit(ask())).toMatchObject([{ kind: "replay", answer: ANSWER }]);
  });

  test("an answer is kept for 24 hours after it was completed, and not a millisecond longer [IDM-10]", async () => {
    const first = ask({ lifetimeMs: 10 * DAY_MS });
    await admit(first);
    await target.advance(60_000);
    await target.settle([end(first)]);
    await target.advance(DAY_MS - 1);
    expect(await admit(ask())).toMatchObject([{ kind: "replay", answer: ANSWER }]);

    await target.advance(1);
    expect(await admit(ask())).toMatchObject([{ kind: "admitted" }]);
  });

  test("a settlement that comes too late keeps no answer [IDM-24]", async () => {
    const late = ask();
    await admit(late);
    await target.void([{ id: late.id, keyId: late.keyId }]);

    expect(await target.settle([end(late)])).toEqual([{ kind: "fenced" }]);
    expect(await admit(ask())).toMatchObject([{ kind: "admitted" }]);
  });

  test.each(["settled", "open"])(
    "what is undone after part of it was delivered may not run again, were it %s [IDM-18] [IDM-24]",
    async (state) => {
      const broken = ask();
      await admit(broken);
      if (state === "settled") await target.settle([end(broken)]);
      await target.void([{ id: broken.id, keyId: broken.keyId, contentDelivered: true }]);

      expect(await admit(ask())).toMatchObject([{ kind: "stream_interrupted" }]);
      expect(await target.usage(names.keyId(0))).toMatchObject({ posted: 100n, held: 0n });
    },
  );

  test("a settlement that was taken back leaves neither charge nor record [MON-35] [MON-36]", async () => {
    const unconfirmed = ask({ claim: null });
    await admit(unconfirmed);
    await target.settle([end(unconfirmed, { answer: null })]);
    expect(await seen()).toMatchObject({ records: 1 });
    await target.void([{ id: unconfirmed.id, keyId: unconfirmed.keyId }]);

    expect(await seen()).toMatchObject({ held: 0n, records: 0 });
    expect(await target.usage(names.keyId(0))).toMatchObject({ posted: 100n, requests: 0n });
  });

  test("what a dead process left behind is charged at its last checkpoint, without a record [MON-37] [MON-38]", async () => {
    const orphan = ask({ claim: null });
    await admit(orphan);
    await target.checkpoint(orphan, { seq: 2, cost: 9n });
    const sweeper = names.processId(PROCESSES);
    for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 5_000) {
      await target.heartbeat(sweeper);
      await target.advance(5_000);
    }

    expect(await target.sweep(sweeper, 10)).toEqual([{ id: orphan.id, keyId: orphan.keyId, charged: 9n }]);
    expect(await seen()).toMatchObject({ held: 0n, holds: 0, records: 0 });
    expect(await target.usage(names.keyId(0))).toMatchObject({ posted: 91n, used: 9n });
  });
});
