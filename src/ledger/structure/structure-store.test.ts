import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import { createId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createPostgres } from "../../db/postgres/postgres.ts";
import { createStructureStore } from "./structure-store.ts";
import type { Changed, CounterHolder, CounterOrder, Structure } from "./structure.ts";

const CREDIT = 1_000_000_000n;
const reason = whyUnavailable("15");

// oxlint-disable-next-line max-lines-per-function -- one example after the other, on one database.
describe("the structure of accounts", () => {
  let database: Database;
  let close: () => Promise<void>;
  let structure: Structure;
  /** An organisation with two teams. */
  let acme: string;
  let search: string;
  let ads: string;

  beforeAll(async () => {
    if (reason !== null) return;
    const fresh = await freshDatabase();
    database = createPostgres({
      url: fresh.url,
      poolSize: 4,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 10_000,
      onError: () => undefined,
    });
    close = async () => {
      await database.close();
      await fresh.close();
    };
    structure = createStructureStore(database);
  });
  afterAll(async () => {
    if (reason === null) await close();
  });
  beforeEach(async () => {
    if (reason !== null) return;
    acme = await account(null, `Acme ${createId(Date.now())}`);
    [search, ads] = [await account(acme, "Search"), await account(acme, "Ads")];
  });

  async function account(parentId: string | null, name: string, bucket = 7): Promise<string> {
    const id = createId(Date.now());
    expect(await structure.openAccount({ id, parentId, name, kind: "team", bucket })).toMatchObject({ result: "done" });
    return id;
  }
  async function key(accountId: string | null, mode = "credit", bucket = 7): Promise<string> {
    const id = createId(Date.now());
    await database.query("insert into key (id, bucket, mode, account_id, label) values ($1, $2, $3, $4, 'Ann')", [
      id,
      bucket,
      mode,
      accountId,
    ]);
    return id;
  }
  const limit = (holder: CounterHolder, order: Partial<CounterOrder> = {}): Promise<Changed> =>
    structure.openCounter({
      kind: "limit",
      unit: "credit",
      amount: 5n * CREDIT,
      period: "month",
      models: null,
      actor: "cli",
      ...order,
      ...holder,
    });
  const purse = (holder: CounterHolder): Promise<Changed> =>
    limit(holder, { kind: "purse", amount: 0n, period: "none" });
  const one = async <Row>(sql: string, ...values: unknown[]): Promise<Row> => {
    const [row] = await database.query<Row>(sql, values);
    if (row === undefined) throw new Error("no row");
    return row;
  };
  type Chained = { version: bigint; own: number; counters: number[]; accounts: string[]; bucket: number };
  const chainOf = (keyId: string): Promise<Chained> =>
    one(
      "select b.version, b.bucket, h.own, h.counters, h.accounts from balance b join chain h on h.id = b.chain where b.key_id = $1",
      keyId,
    );
  const hold = async (keyId: string): Promise<void> => {
    await database.query(
      `insert into hold (id, key_id, process_id, admitted_at, deadline, credits, key_no, chain, counters, model, price_version, claimed)
       select gen_random_uuid(), key_id, gen_random_uuid(), now(), now(), 0, key_no, chain, counters, 1, 1, false
         from balance where key_id = $1`,
      [keyId],
    );
  };

  test.skipIf(reason !== null)("an account is made once, however often the call is repeated", async () => {
    const order = { id: createId(Date.now()), parentId: search, name: "Ann", kind: "person", bucket: 9 };
    expect(await structure.openAccount(order)).toMatchObject({ result: "done" });
    expect(await structure.openAccount(order)).toMatchObject({ result: "already" });
    expect(await structure.openAccount({ ...order, name: "Bob" })).toMatchObject({ result: "id_taken" });
    expect(await one("select bucket, path from account where id = $1", order.id)).toEqual({
      bucket: 7,
      path: [acme, search, order.id],
    });
  });

  test.skipIf(reason !== null)("siblings have different names, whatever their case, until one is closed", async () => {
    const again = { parentId: acme, name: "SEARCH", kind: "team", bucket: 7 };
    expect(await structure.openAccount({ id: createId(1), ...again })).toMatchObject({
      result: "name_taken",
      accountId: search,
    });
    expect(await structure.changeAccount(ads, { name: "search" })).toMatchObject({ result: "name_taken" });
    expect(await structure.closeAccount(search)).toMatchObject({ result: "done" });
    expect(await structure.changeAccount(ads, { name: "search" })).toMatchObject({ result: "done" });
  });

  test.skipIf(reason !== null)("a tree is four deep at most, and a move makes none deeper", async () => {
    const ann = await account(search, "Ann");
    const laptop = await account(ann, "Laptop");
    const deeper = { id: createId(2), parentId: laptop, name: "Shell", kind: "project", bucket: 7 };
    expect(await structure.openAccount(deeper)).toMatchObject({ result: "too_deep", number: 5 });
    expect(await structure.changeAccount(search, { parentId: ads })).toMatchObject({ result: "too_deep", number: 5 });
    expect(await structure.changeAccount(ann, { parentId: ads })).toMatchObject({ result: "done" });
    expect(await one("select path from account where id = $1", laptop)).toEqual({ path: [acme, ads, ann, laptop] });
    expect(await structure.changeAccount(ads, { parentId: ann })).toMatchObject({ result: "into_itself" });
  });

  test.skipIf(reason !== null)(
    "a key below gets the counters of all above it, and a new version with each",
    async () => {
      const ann = await key(search);
      const before = await chainOf(ann);
      expect(before).toMatchObject({ own: 0, counters: [], accounts: [acme, search] });
      const { counter: top } = await purse({ accountId: acme });
      const { counter: team } = await limit({ accountId: search });
      const { counter: own } = await limit({ keyId: ann });
      await limit({ accountId: ads });
      expect(await chainOf(ann)).toMatchObject({ own, counters: [top, team], version: before.version + 3n });
      expect(await one("select posted, amount, fundings from balance where key_id = $1", ann)).toEqual({
        posted: 5n * CREDIT,
        amount: 5n * CREDIT,
        fundings: 1n,
      });
    },
  );

  test.skipIf(reason !== null)("a second purse above or below is refused, and the other one is named", async () => {
    const ann = await key(search);
    expect(await purse({ accountId: search })).toMatchObject({ result: "done" });
    const name = (await one<{ name: string }>("select name from account where id = $1", acme)).name;
    expect(await purse({ accountId: acme })).toMatchObject({
      result: "second_purse",
      holders: [name, `${name}/Search`],
    });
    expect(await purse({ keyId: ann })).toMatchObject({
      result: "second_purse",
      holders: [`${name}/Search`, "key Ann"],
    });
    expect(await purse({ accountId: ads })).toMatchObject({ result: "done" });
    const bob = await account(ads, "Bob");
    expect(await structure.changeAccount(search, { parentId: bob })).toMatchObject({ result: "second_purse" });
    expect(await chainOf(ann)).toMatchObject({ accounts: [acme, search] });
    expect(await one("select count(*)::int as n from counter_anywhere where key_id = $1", ann)).toEqual({ n: 0 });
  });

  test.skipIf(reason !== null)("no chain gets a ninth counter, whichever models they are for", async () => {
    const ann = await key(search);
    for (let n = 0; n < 4; n++) await limit({ accountId: acme }, { models: [`m${n}`] });
    for (let n = 0; n < 3; n++) await limit({ accountId: search }, { models: [`m${n}`] });
    expect(await limit({ keyId: ann })).toMatchObject({ result: "done" });
    expect(await limit({ accountId: acme })).toMatchObject({
      result: "too_many_counters",
      number: 9,
      holders: ["key Ann"],
    });
    expect(await limit({ keyId: ann }, { models: ["x"] })).toMatchObject({ result: "too_many_counters", number: 9 });
    await limit({ accountId: ads }, { models: ["y"] });
    expect(await structure.changeAccount(search, { parentId: ads })).toMatchObject({
      result: "too_many_counters",
      number: 9,
    });
    const bob = await key(ads);
    expect(await structure.moveKey(ann, ads)).toMatchObject({ result: "done" });
    expect(await structure.moveKey(bob, search)).toMatchObject({ result: "done" });
    expect((await chainOf(ann)).counters).toHaveLength(5);
    expect((await chainOf(bob)).counters).toHaveLength(7);
  });

  test.skipIf(reason !== null)("one limit stands for a unit, a period and a list of models", async () => {
    const { counter } = await limit({ accountId: search }, { models: ["b*", "a*"] });
    expect(await limit({ accountId: search }, { models: ["a*", "b*"] })).toMatchObject({ result: "exists", counter });
    expect(await limit({ accountId: search }, { models: ["a*"] })).toMatchObject({ result: "done" });
    expect(await limit({ accountId: search }, { period: "day" })).toMatchObject({ result: "done" });
  });

  test.skipIf(reason !== null)("a limit for a key with open requests leaves them as they are", async () => {
    await purse({ accountId: acme });
    const ann = await key(search);
    await hold(ann);
    const { counter } = await limit({ keyId: ann });
    expect(await chainOf(ann)).toMatchObject({ own: 0, counters: expect.arrayContaining([counter]) });
  });

  test.skipIf(reason !== null)("a purse is closed when it is empty, with its history", async () => {
    const { counter } = await purse({ accountId: search });
    const ann = await key(search);
    await database.query("select fund_v1($1, $2, 'grant', 5, 'cli')", [counter, `g${counter}`]);
    expect(await structure.closeCounter(Number(counter))).toMatchObject({ result: "funded" });
    expect(await structure.closeAccount(acme)).toMatchObject({ result: "funded" });
    await database.query("select fund_v1($1, $2, 'adjust', -5, 'cli')", [counter, `h${counter}`]);
    await hold(ann);
    expect(await structure.closeAccount(acme)).toMatchObject({ result: "held", holders: ["key Ann"] });
    await database.query("delete from hold where key_id = $1", [ann]);
    expect(await structure.closeCounter(Number(counter))).toMatchObject({ result: "done" });
    expect(await structure.closeCounter(Number(counter))).toMatchObject({ result: "already" });
    expect(await chainOf(ann)).toMatchObject({ counters: [] });
    expect(await purse({ accountId: acme })).toMatchObject({ result: "done" });
  });

  test.skipIf(reason !== null)(
    "a key's own limit that is closed keeps its number and makes room for another",
    async () => {
      const ann = await key(search);
      const { counter } = await limit({ keyId: ann });
      await hold(ann);
      expect(await structure.closeCounter(Number(counter))).toMatchObject({ result: "held" });
      await database.query("delete from hold where key_id = $1", [ann]);
      expect(await structure.closeCounter(Number(counter))).toMatchObject({ result: "done" });
      expect(
        await one("select own, closed_at is not null as closed from counter_anywhere where id = $1", counter),
      ).toEqual({
        own: false,
        closed: true,
      });
      const { counter: next } = await limit({ keyId: ann }, { amount: 7n });
      expect(await chainOf(ann)).toMatchObject({ own: next, counters: [] });
    },
  );

  test.skipIf(reason !== null)("a closed account closes all below it, for good", async () => {
    const ann = await account(search, "Ann");
    const { counter } = await limit({ accountId: ann });
    const laptop = await key(ann);
    const { version } = await chainOf(laptop);
    expect(await structure.closeAccount(search)).toMatchObject({ result: "done" });
    expect(await one("select status from account where id = $1", ann)).toEqual({ status: "closed" });
    expect(await chainOf(laptop)).toMatchObject({ counters: [], version: version + 1n });
    expect(await one("select closed_at is not null as closed from counter where id = $1", counter)).toEqual({
      closed: true,
    });
    expect(await structure.setStatus(search, "active")).toMatchObject({ result: "closed" });
    expect(await limit({ keyId: laptop })).toMatchObject({ result: "closed" });
    expect(
      await structure.openAccount({ id: createId(3), parentId: ann, name: "x", kind: "team", bucket: 7 }),
    ).toMatchObject({ result: "closed" });
    await expect(key(ann)).rejects.toThrow("is closed");
  });

  test.skipIf(reason !== null)("suspending an account makes every copy of the keys below it stale", async () => {
    const [ann, bob] = [await key(search), await key(ads)];
    const [before, besides] = [await chainOf(ann), await chainOf(bob)];
    expect(await structure.setStatus(search, "suspended")).toMatchObject({ result: "done" });
    expect(await structure.setStatus(search, "suspended")).toMatchObject({ result: "already" });
    expect(await chainOf(ann)).toEqual({ ...before, version: before.version + 1n });
    expect(await chainOf(bob)).toEqual(besides);
  });

  test.skipIf(reason !== null)("the tiers of an account make every copy of the keys below it stale", async () => {
    const [ann, bob] = [await key(search), await key(ads)];
    const [before, besides] = [await chainOf(ann), await chainOf(bob)];
    const tiersOf = async (id: string) =>
      (await one<{ tiers: string[] | null }>("select tiers from account where id = $1", id)).tiers;
    expect(await structure.setTiers(search, ["flex"])).toMatchObject({ result: "done" });
    expect(await structure.setTiers(search, ["flex"])).toMatchObject({ result: "already" });
    expect(await tiersOf(search)).toEqual(["flex"]);
    expect(await chainOf(ann)).toEqual({ ...before, version: before.version + 1n });
    expect(await chainOf(bob)).toEqual(besides);
    expect(await structure.setTiers(search, null)).toMatchObject({ result: "done" });
    expect(await tiersOf(search)).toBeNull();
    expect(await structure.setTiers(createId(6), [])).toMatchObject({ result: "unknown_account" });
    expect(await structure.setTiers(await key(null), [])).toMatchObject({ result: "unknown_account" });
    await structure.closeAccount(ads);
    expect(await structure.setTiers(ads, [])).toMatchObject({ result: "closed" });
  });

  test.skipIf(reason !== null)("money stays in its tree", async () => {
    const globex = await account(null, `Globex ${createId(4)}`);
    const far = await account(null, `Far ${createId(5)}`, 8);
    const { counter } = await purse({ accountId: search });
    await database.query("select fund_v1($1, $2, 'grant', 5, 'cli')", [counter, `g${counter}`]);
    expect(await structure.changeAccount(search, { parentId: globex })).toMatchObject({ result: "funded" });
    expect(await structure.changeAccount(ads, { parentId: far })).toMatchObject({ result: "other_bucket" });
    const ann = await key(ads);
    await hold(ann);
    expect(await structure.changeAccount(ads, { parentId: globex })).toMatchObject({ result: "held" });
    expect(await structure.moveKey(ann, globex)).toMatchObject({ result: "other_tree" });
    await database.query("delete from hold where key_id = $1", [ann]);
    expect(await structure.changeAccount(ads, { parentId: globex })).toMatchObject({ result: "done" });
    expect(await chainOf(ann)).toMatchObject({ accounts: [globex, ads] });
  });

  test.skipIf(reason !== null)("a lone key with an empty purse is adopted with its secret", async () => {
    const { counter: top } = await purse({ accountId: acme });
    const ann = await key(null, "credit", 99);
    await database.query(
      "insert into key_secret (digest, key_id, bucket, prefix) values (sha256($1::text::bytea), $1::uuid, 99, 'tgc_063xxxxx')",
      [ann],
    );
    const { own } = await chainOf(ann);
    await database.query("select fund_v1($1, $2, 'grant', 5, 'cli')", [own, `g${own}`]);
    expect(await structure.adoptKey(ann, search)).toMatchObject({ result: "funded" });
    await database.query("select fund_v1($1, $2, 'adjust', -5, 'cli')", [own, `h${own}`]);
    await hold(ann);
    expect(await structure.adoptKey(ann, search)).toMatchObject({ result: "held" });
    await database.query("delete from hold where key_id = $1", [ann]);
    expect(await structure.moveKey(ann, search)).toMatchObject({ result: "lone" });
    expect(await structure.adoptKey(ann, search)).toMatchObject({ result: "done" });
    expect(await chainOf(ann)).toMatchObject({ bucket: 7, own: 0, counters: [top], accounts: [acme, search] });
    expect(
      await one(
        "select k.bucket as key, s.bucket as secret from key k join key_secret s on s.key_id = k.id where k.id = $1",
        ann,
      ),
    ).toEqual({
      key: 7,
      secret: 99,
    });
    expect(await structure.adoptKey(ann, ads)).toMatchObject({ result: "not_lone" });
    expect(await structure.adoptKey(ann, search)).toMatchObject({ result: "already" });
  });

  test.skipIf(reason !== null)("a token key is adopted with its limit, or where something counts tokens", async () => {
    await purse({ accountId: acme });
    const [ann, bob] = [await key(null, "token_budget"), await key(null, "token_budget")];
    expect(await structure.adoptKey(ann, search)).toMatchObject({ result: "no_counter", holders: ["tokens"] });
    const { own } = await chainOf(bob);
    await database.query("select limit_v1($1, $2, 1000, 'month', 'cli')", [own, `l${own}`]);
    expect(await structure.adoptKey(bob, search)).toMatchObject({ result: "done" });
    expect(await chainOf(bob)).toMatchObject({ own, accounts: [acme, search] });
    expect(await structure.closeCounter(own)).toMatchObject({ result: "done" });
    await limit({ accountId: search }, { unit: "tokens", amount: 10n });
    expect(await structure.adoptKey(ann, search)).toMatchObject({ result: "done" });
  });

  test.skipIf(reason !== null)("a key stands in the bucket of its tree, and in no lone account", async () => {
    await expect(key(search, "credit", 8)).rejects.toThrow("bucket 7");
    const lone = await key(null);
    await expect(key(lone)).rejects.toThrow("one key alone");
    expect(await limit({ accountId: lone })).toMatchObject({ result: "unknown_account" });
    expect(await structure.setStatus(lone, "suspended")).toMatchObject({ result: "unknown_account" });
    expect(await structure.closeCounter((await chainOf(lone)).own)).toMatchObject({ result: "lone" });
  });

  test.skipIf(reason !== null)("more than 256 keys learn of a change in several transactions", async () => {
    const ids = Array.from({ length: 600 }, () => createId(Date.now())).sort();
    await database.query(
      "insert into key (id, bucket, mode, account_id) select i, 7, 'credit', $2 from unnest($1::uuid[]) i",
      [ids, search],
    );
    const { counter } = await purse({ accountId: acme });
    const versions = (): Promise<{ n: bigint }[]> =>
      database.query(
        "select count(*) as n from balance where key_id = any ($1::uuid[]) and version = 2 and counters = $2",
        [ids, [counter]],
      );
    expect(await versions()).toEqual([{ n: 256n }]);
    expect(await structure.rechain()).toBe(true);
    expect(await versions()).toEqual([{ n: 512n }]);
    while (await structure.rechain());
    expect(await versions()).toEqual([{ n: 600n }]);
  });
});
