import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createClosedPurses } from "../../src/ledger/structure/closed-purse-store.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, Ledger } from "../../src/ledger/ledger.ts";
import { createStructureStore } from "../../src/ledger/structure/structure-store.ts";
import type { Structure } from "../../src/ledger/structure/structure.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import { askOf, creditsOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { runSeed } from "../support/run-seed.ts";

const reason = whyUnavailable("15");
const PROCESS = createId(Date.now());
const SEED = runSeed();

describe.skipIf(reason !== null)("what is given back to a purse that is closed", () => {
  let database: Database;
  let ledger: Ledger;
  let structure: Structure;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    const fresh = await freshDatabase();
    const limits = { poolSize: 4, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, onError: () => undefined };
    database = createPostgres({ url: fresh.url, ...limits });
    close = async () => {
      await database.close();
      await fresh.close();
    };
    ledger = createLedgerStore(database);
    structure = createStructureStore(database);
  });
  afterAll(() => close());

  async function account(parentId: string | null): Promise<string> {
    const id = createId(Date.now());
    expect(await structure.openAccount({ id, parentId, name: id, kind: "team", bucket: 7 })).toMatchObject({
      result: "done",
    });
    return id;
  }
  async function purseOf(holder: { accountId: string } | { keyId: string }): Promise<number> {
    const purse = { kind: "purse", unit: "credit", amount: 0n, period: "none", models: null } as const;
    const { result, counter } = await structure.openCounter({ ...purse, ...holder, actor: "test" });
    expect(result).toBe("done");
    return counter ?? 0;
  }
  async function limitOf(accountId: string): Promise<void> {
    const limit = { kind: "limit", unit: "credit", amount: 900n, period: "month", models: null } as const;
    expect(await structure.openCounter({ ...limit, accountId, actor: "test" })).toMatchObject({ result: "done" });
  }
  const fund = (counter: number, amount: bigint) =>
    ledger.fund({ counter, reference: createId(Date.now()), kind: "grant", amount, actor: "test" });
  const refund = (key: LoneKey, about: string, amount: bigint, reference = createId(Date.now())) =>
    ledger.refund({ keyId: key.keyId, about, amounts: creditsOf(amount), reference, actor: "test" });

  /** Charges exactly so much, in one request. */
  async function spend(key: LoneKey, amount: bigint): Promise<string> {
    const ask = askOf(key, { least: amount, most: amount, keyVersion: await versionOf(key) });
    expect((await ledger.admit(PROCESS, [ask]))[0]).toMatchObject({ kind: "admitted" });
    expect((await ledger.settle([endOf(ask, { price: amount })]))[0]).toMatchObject({ kind: "settled" });
    return ask.id;
  }
  const undo = async (key: LoneKey, id: string) =>
    (await ledger.void([{ id, keyId: key.keyId, bucket: 7, contentDelivered: true }]))[0];

  type Counter = { posted: bigint; funded: bigint; used: bigint; refunded: bigint; closed: boolean };
  async function counter(id: number): Promise<Counter> {
    const sql =
      "select posted, funded, used, refunded, closed_at is not null as closed from counter_anywhere where id = $1";
    const [row] = await database.query<Counter>(sql, [id]);
    if (!row) throw new Error(`no counter ${id}`);
    return row;
  }
  const adopted = async (key: LoneKey, accountId: string): Promise<void> =>
    expect(await structure.adoptKey(key.keyId, accountId)).toMatchObject({ result: "done" });
  const differences = async () =>
    (await verify(createVerifyStore(database), { keyId: null, recompute: false, onProgress: () => undefined }))
      .mismatches;

  test("a refund of a key that was adopted reaches the purse that pays for it now, once [L13, I1, I7]", async () => {
    const team = await account(await account(null));
    const purse = await purseOf({ accountId: team });
    const key = await loneKey(database, { funds: 50n });
    const id = await spend(key, 50n);
    await adopted(key, team);

    expect(await refund(key, id, 20n, "first")).toEqual({ kind: "funded" });
    expect(await refund(key, id, 20n, "first")).toEqual({ kind: "already" });
    expect(await refund(key, id, 30n, "second")).toEqual({ kind: "funded" });

    expect(await counter(purse)).toMatchObject({ posted: 50n, funded: 50n, used: 0n, refunded: 0n });
    expect(await counter(key.counter)).toEqual({ posted: 0n, funded: 0n, used: 50n, refunded: 50n, closed: true });
    const journal = await database.query(
      "select counter, reference, amount, actor from funding where reference like '#passed:%' order by reference, amount",
    );
    expect(journal).toEqual([
      { counter: key.counter, reference: `#passed:${id}:1`, amount: -20n, actor: "ledger" },
      { counter: purse, reference: `#passed:${id}:1`, amount: 20n, actor: "ledger" },
      { counter: key.counter, reference: `#passed:${id}:2`, amount: -30n, actor: "ledger" },
      { counter: purse, reference: `#passed:${id}:2`, amount: 30n, actor: "ledger" },
    ]);
    expect(await differences()).toEqual([]);
  });

  test("so does what a void undoes, of which nothing counts as used any more [L13, I1]", async () => {
    const team = await account(null);
    const purse = await purseOf({ accountId: team });
    const key = await loneKey(database, { funds: 50n });
    const id = await spend(key, 50n);
    expect(await refund(key, id, 20n)).toEqual({ kind: "funded" });
    await spend(key, 20n);
    await adopted(key, team);

    expect(await undo(key, id)).toMatchObject({ kind: "voided", refunded: { credits: 30n } });
    expect(await undo(key, id)).toMatchObject({ kind: "already" });

    expect(await counter(purse)).toMatchObject({ posted: 30n });
    expect(await counter(key.counter)).toEqual({ posted: 0n, funded: 20n, used: 20n, refunded: 0n, closed: true });
    expect(await differences()).toEqual([]);
  });

  test("a void that comes while its key is adopted reaches that purse, too", async () => {
    const team = await account(null);
    const purse = await purseOf({ accountId: team });
    const key = await loneKey(database, { funds: 50n });
    const id = await spend(key, 50n);

    let undone: ReturnType<typeof undo> | undefined;
    await database.transaction(async (tx) => {
      await tx.query("select adopt_v1($1, $2)", [key.keyId, team]);
      undone = undo(key, id);
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1";
      await until(async () => (await database.query(waiting)).length === 1, "the void waits");
    });

    expect(await undone).toMatchObject({ kind: "voided" });
    expect(await counter(purse)).toMatchObject({ posted: 50n });
    expect(await counter(key.counter)).toMatchObject({ posted: 0n, closed: true });
  });

  test("a purse of an account that was closed gives way to the one above, and to one that a key was given", async () => {
    const root = await account(null);
    const team = await account(root);
    const first = await purseOf({ accountId: team });
    await fund(first, 40n);
    const key = await loneKey(database);
    await adopted(key, team);
    const below = await readChain(key);
    const id = await spend(below, 40n);
    expect(await structure.closeCounter(first)).toMatchObject({ result: "done" });

    const ofKey = await purseOf({ keyId: key.keyId });
    expect(await refund(below, id, 5n)).toEqual({ kind: "funded" });
    expect(await counter(ofKey)).toMatchObject({ posted: 5n });

    await spend(await readChain(key), 5n);
    expect(await structure.closeCounter(ofKey)).toMatchObject({ result: "done" });
    const ofRoot = await purseOf({ accountId: root });
    expect(await refund(below, id, 7n)).toEqual({ kind: "funded" });
    expect(await counter(ofRoot)).toMatchObject({ posted: 7n });
    expect(await counter(first)).toMatchObject({ posted: 0n, closed: true });
    expect(await differences()).toEqual([]);
  });

  test("a purse of its own that is still open keeps what is given back, wherever its key has gone", async () => {
    const root = await account(null);
    const [one, other] = [await account(root), await account(root)];
    const purse = await purseOf({ accountId: one });
    await purseOf({ accountId: other });
    await fund(purse, 40n);
    const key = await loneKey(database);
    await adopted(key, one);
    const placed = await readChain(key);
    const id = await spend(placed, 40n);
    expect(await structure.moveKey(key.keyId, other)).toMatchObject({ result: "done" });

    expect(await refund(placed, id, 40n)).toEqual({ kind: "funded" });

    expect(await counter(purse)).toMatchObject({ posted: 40n, refunded: 40n });
  });

  test("where only limits pay it stays where it is, until it is moved to a purse, all of it and once", async () => {
    const postpaid = await account(null);
    await limitOf(postpaid);
    const key = await loneKey(database, { funds: 50n });
    const id = await spend(key, 50n);
    await adopted(key, postpaid);
    expect(await refund(key, id, 50n)).toEqual({ kind: "funded" });
    expect(await counter(key.counter)).toMatchObject({ posted: 50n, closed: true });
    const another = await account(null);
    const other = await purseOf({ accountId: another });
    const closed = createClosedPurses(database);
    const move = (from: number, to: { accountId: string } | { keyId: string } | null) =>
      closed.move({ from, to, actor: "ops" });
    const listed = { unit: "credit", amount: 50n, key: { id: key.keyId, prefix: "" }, account: null, hasPayer: false };
    expect(await closed.list([postpaid], 10)).toEqual([{ counter: key.counter, ...listed }]);
    expect(await closed.list([another], 10)).toEqual([]);

    expect(await move(key.counter, null)).toEqual({ kind: "no_purse" });
    expect(await move(key.counter, { keyId: key.keyId })).toEqual({ kind: "no_purse" });
    expect(await move(other, { accountId: postpaid })).toEqual({ kind: "not_closed" });
    expect(await move(0, { accountId: another })).toEqual({ kind: "unknown_counter" });
    const moved = { kind: "moved", unit: "credit", amount: 50n, to: other };
    expect(await move(key.counter, { accountId: another })).toEqual(moved);
    expect(await move(key.counter, { accountId: another })).toEqual({ kind: "empty" });
    expect(await closed.list(null, 10)).toEqual([]);

    expect(await counter(key.counter)).toMatchObject({ posted: 0n, funded: 0n });
    expect(await counter(other)).toMatchObject({ posted: 50n, funded: 50n });
    expect(await differences()).toEqual([]);
  });

  test("a key with an open request is not adopted, and one whose request ended is, with nothing left behind [I2, I6]", async () => {
    const team = await account(null);
    const purse = await purseOf({ accountId: team });
    const key = await loneKey(database, { funds: 10n });
    const ask: Ask = askOf(key, { least: 10n, most: 10n });
    await ledger.admit(PROCESS, [ask]);

    expect(await structure.adoptKey(key.keyId, team)).toMatchObject({ result: "funded" });
    expect((await ledger.settle([endOf(ask, { price: 10n })]))[0]).toMatchObject({ kind: "settled" });
    await adopted(key, team);
    // The same settlement once more, and a void that comes late.
    expect((await ledger.settle([endOf(ask, { price: 10n })]))[0]).toMatchObject({ kind: "already" });
    expect(await undo(key, ask.id)).toMatchObject({ kind: "voided" });

    expect(await counter(purse)).toMatchObject({ posted: 10n });
    expect(await counter(key.counter)).toMatchObject({ posted: 0n });
  });

  test(`however keys are adopted, charged and given back, what was paid in can be spent, is reserved or was charged, and no closed purse has any (seed ${SEED})`, async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("spend" as const), key: fc.nat(3), amount: fc.bigInt(1n, 30n) }),
      fc.record({ type: fc.constant("reserve" as const), key: fc.nat(3), amount: fc.bigInt(1n, 30n) }),
      fc.record({ type: fc.constant("end" as const), nth: fc.nat(20) }),
      fc.record({ type: fc.constant("empty" as const), key: fc.nat(3) }),
      fc.record({ type: fc.constant("adopt" as const), key: fc.nat(3), account: fc.nat(2) }),
      fc.record({ type: fc.constant("refund" as const), nth: fc.nat(20), amount: fc.bigInt(1n, 30n) }),
      fc.record({ type: fc.constant("void" as const), nth: fc.nat(20) }),
      fc.record({ type: fc.constant("move" as const), account: fc.nat(2) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40, size: "max" }), async (steps) => {
        const root = await account(null);
        const teams = [root, await account(root), await account(root)];
        const purses = [await purseOf({ accountId: root })];
        const keys: LoneKey[] = [];
        for (let n = 0; n < 4; n++) keys.push(await loneKey(database, { funds: 100n }));
        await fund(purses[0] ?? 0, 100n);
        const charged: { key: LoneKey; id: string }[] = [];
        const open: { key: LoneKey; ask: Ask }[] = [];
        const pick = <One>(all: readonly One[], nth: number): One | undefined => all[nth % Math.max(1, all.length)];
        for (const it of steps) {
          if (it.type === "spend" || it.type === "reserve" || it.type === "empty") {
            const key = await readChain(keys[it.key] as LoneKey);
            const own = await counter(key.counter);
            const amount = it.type === "empty" ? own.posted : it.amount;
            if (it.type === "empty" && (own.closed || amount === 0n)) continue;
            const ask = askOf(key, { least: amount, most: amount, keyVersion: await versionOf(key) });
            if ((await ledger.admit(PROCESS, [ask]))[0]?.kind !== "admitted") continue;
            if (it.type === "reserve") open.push({ key, ask });
            else await ledger.settle([endOf(ask, { price: amount })]);
            if (it.type !== "reserve") charged.push({ key, id: ask.id });
          } else if (it.type === "end") {
            const one = pick(open, it.nth);
            if (one) await ledger.settle([endOf(one.ask, { price: 3n })]);
            if (one) charged.push({ key: one.key, id: one.ask.id });
          } else if (it.type === "adopt") {
            await structure.adoptKey((keys[it.key] as LoneKey).keyId, teams[it.account] ?? root);
          } else if (it.type === "move") {
            await structure.changeAccount(teams[1] ?? root, { parentId: teams[it.account] ?? root });
          } else {
            const one = pick(charged, it.nth);
            if (one && it.type === "refund") await refund(one.key, one.id, it.amount);
            if (one && it.type === "void") await undo(one.key, one.id);
          }
        }
        const ids = keys.map(({ keyId }) => keyId);
        const [sums] = await database.query<Record<"has" | "paid" | "charged" | "closed", bigint>>(
          `select sum(c.posted)::bigint as has, 500::bigint as paid,
                  coalesce(sum(c.posted) filter (where c.closed_at is not null), 0)::bigint as closed,
                  (select coalesce(sum(h.credits), 0)::bigint from charge h join balance b on b.key_no = h.key_no where b.key_id = any ($1))
                  - (select coalesce(sum(r.credits), 0)::bigint from refund r join balance b on b.key_no = r.key_no where b.key_id = any ($1))
                  as charged
             from counter_anywhere c where c.kind = 'purse' and (c.key_id = any ($1) or c.account_id = any ($2))`,
          [ids, teams],
        );
        expect(sums?.closed).toBe(0n);
        expect((sums?.has ?? 0n) + (sums?.charged ?? 0n)).toBe(sums?.paid);
      }),
      { numRuns: 25, seed: SEED, endOnFailure: true },
    );
    expect(await differences()).toEqual([]);
  }, 120_000);

  /** As it stands in its tree now. */
  async function readChain(key: LoneKey): Promise<LoneKey> {
    const sql = "select b.chain, coalesce(b.counters, '{}') as counters from balance b where b.key_id = $1";
    const [row] = await database.query<{ chain: number; counters: number[] }>(sql, [key.keyId]);
    return { ...key, chain: { id: row?.chain ?? 0, counters: row?.counters ?? [] } };
  }
  async function versionOf(key: LoneKey): Promise<number> {
    const [row] = await database.query<{ version: number }>(
      "select version::int as version from balance where key_id = $1",
      [key.keyId],
    );
    return row?.version ?? 0;
  }
});
