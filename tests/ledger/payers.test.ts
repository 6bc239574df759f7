import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database, Queryable } from "../../src/db/database.ts";
import { createPayerShares } from "../../src/http/read/payer-shares.ts";
import { createKeyStore } from "../../src/keys/key-store.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, endOf, loneKey, readLoneKey } from "../support/lone-key.ts";
import { signIns } from "../support/signed-in.ts";
import { until } from "../support/until.ts";
import { SERVERS } from "./engines.ts";

const CAP = 50n;
const BUCKET = 7;
const LEFT = { outcome: "client_gone" as const, waived: 30n };
const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const server = SERVERS[0];

describe.skipIf(server?.reason !== null)("whose doing a request is", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    if (server) ({ database, close } = await server.open());
  });
  afterAll(() => close());

  /** One with a purse. */
  const account = async (kind = "team"): Promise<string> => {
    const id = createId(Date.now());
    await database.query("select account_open_v1($1, null, $2, $4, $3)", [id, id, BUCKET, kind]);
    const open = "select counter from counter_open_v1($1, null, 'purse', 'credit', 0, 'none', null, 'test')";
    const [purse] = await database.query<{ counter: number }>(open, [id]);
    await database.query("select fund_v1($1, $2, 'purchase', 1000000, 'test')", [purse?.counter, id]);
    return id;
  };

  const keyIn = async (accountId: string): Promise<string> => {
    const id = createId(Date.now());
    await database.query("insert into key (id, bucket, mode, account_id) values ($1, $2, 'credit', $3)", [
      id,
      BUCKET,
      accountId,
    ]);
    return id;
  };

  /** Somebody with an account of their own, or with that of a team. */
  async function somebody(kind: "person" | "team" = "person") {
    const accountId = await account(kind);
    const { person, begin, sessions } = signIns(database);
    const personId = await person(`${accountId}@acme.example`, accountId);
    /** The key that a new session is. */
    const signIn = async (): Promise<string> => {
      await begin(personId);
      const newest = "select id from client_session where person_id = $1 order by created_at desc, id desc limit 1";
      const [row] = await database.query<{ id: string }>(newest, [personId]);
      return row?.id ?? "";
    };
    return { personId, accountId, signIn, sessions };
  }

  const payerOf = async (keyId: string): Promise<string | undefined> =>
    (await createKeyStore(database).find(keyId))[0]?.payer;

  const statusOf = async (keyId: string): Promise<string | undefined> =>
    (await createKeyStore(database).find(keyId))[0]?.status;

  /** A request of a key that the house bears, or whose failure it waives. Answers whether it crossed a cap, and what it was charged. */
  async function end(keyId: string, fields: Parameters<typeof endOf>[1]) {
    return finish(database, await start(keyId), fields);
  }

  async function start(keyId: string): Promise<Ask> {
    type Row = { chain: number; counters: number[]; version: number };
    const [row] = await database.query<Row>(
      "select chain, coalesce(counters, '{}') as counters, version::int as version from balance where key_id = $1",
      [keyId],
    );
    const { chain = 0, counters = [], version: keyVersion = 0 } = row ?? {};
    const ask = askOf({ keyId, bucket: BUCKET, unit: "credit", chain: { id: chain, counters } }, { keyVersion });
    await createLedgerStore(database).admit(createId(1), [ask]);
    return ask;
  }

  async function finish(queryable: Queryable, ask: Ask, fields: Parameters<typeof endOf>[1]) {
    const [settled] = await createLedgerStore(queryable).settle([
      endOf(ask, { price: 0n, outcome: "client_gone", record: null, capPerHour: CAP, ...fields }),
    ]);
    if (settled?.kind !== "settled") throw new Error(`not settled: ${settled?.kind}`);
    return { isOver: settled.overCap ?? false, charged: settled.charged.credits };
  }

  const absorb = async (keyId: string, absorbed: bigint, more: Parameters<typeof endOf>[1] = {}): Promise<boolean> =>
    (await end(keyId, { absorbed, ...more })).isOver;

  test("is the person's behind a session or a personal account, else the key's", async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const [first, second] = [await ann.signIn(), await ann.signIn()];
    const team = await account();
    const [one, other] = [await keyIn(team), await keyIn(team)];
    const lone = (await loneKey(database)).keyId;

    expect(await Promise.all([first, second, await keyIn(ann.accountId)].map(payerOf))).toEqual([
      ann.personId,
      ann.personId,
      ann.personId,
    ]);
    expect(await payerOf(await bob.signIn())).toBe(bob.personId);
    expect(await Promise.all([one, other, lone].map(payerOf))).toEqual([one, other, lone]);
  });

  test("counts together for a person: the session that crosses the cap has all suspended, and so is the next", async () => {
    const ann = await somebody();
    const sessions = [await ann.signIn(), await ann.signIn(), await ann.signIn()];
    const own = await keyIn(ann.accountId);
    const [first = "", second = "", third = ""] = sessions;
    const neighbour = await (await somebody()).signIn();

    expect(await absorb(first, 30n)).toBe(false);
    expect(await absorb(neighbour, 30n)).toBe(false);
    expect(await absorb(second, 30n)).toBe(true);
    await createLedgerStore(database).suspend([second]);
    expect(await Promise.all([...sessions, own].map(statusOf))).toEqual(Array(4).fill("suspended"));
    expect(await statusOf(neighbour)).toBe("active");

    // To sign out and in again changes nothing, until somebody resumes one of them.
    for (const id of sessions) await ann.sessions.end(ann.personId, { id });
    const next = await ann.signIn();
    expect(await statusOf(next)).toBe("suspended");
    const { changeStatus } = createKeyStore(database);
    expect(await changeStatus(next, { from: ["suspended"], to: "active" })).toBe(true);
    expect(await Promise.all([next, await ann.signIn()].map(statusOf))).toEqual(["active", "active"]);
    // A key that was handed out is resumed by name: it may have been suspended for another reason.
    expect(await statusOf(own)).toBe("suspended");
    expect(await statusOf(third)).toBe("revoked");
  });

  test("is each key's own where a person has the account of a team as theirs, and who leads it stops nobody", async () => {
    const lead = await somebody("team");
    const keys = [await keyIn(lead.accountId), await keyIn(lead.accountId)];
    const session = await lead.signIn();

    expect(await Promise.all([session, ...keys].map(payerOf))).toEqual([lead.personId, ...keys]);
    expect(await absorb(session, 60n)).toBe(true);
    expect(await createLedgerStore(database).suspend([session])).toEqual([session]);
    expect(await Promise.all(keys.map(statusOf))).toEqual(["active", "active"]);
  });

  test("gives a person the cap once, however many sessions a provider fails", async () => {
    const ann = await somebody();
    const failure = { outcome: "upstream_failed" as const, waived: 30n };

    expect((await end(await ann.signIn(), failure)).charged).toBe(0n);
    expect((await end(await ann.signIn(), failure)).charged).toBe(30n);
  });

  test("gives a person the cap once, also when sessions end at the same moment in calls of their own", async () => {
    const ann = await somebody();
    // Each has what pays for it to itself, so that nothing else makes one wait for the other.
    const asks: Ask[] = [];
    while (asks.length < 2) {
      const { keyId } = await loneKey(database, { bucket: BUCKET, funds: 1_000n });
      await database.query("update key set person_id = $1 where id = $2", [ann.personId, keyId]);
      asks.push(await start(keyId));
    }
    const [first, second] = asks as [Ask, Ask];

    let waits = Promise.resolve<unknown>(null);
    const free = await database.transaction(async (tx) => {
      const ended = await finish(tx, first, LEFT);
      waits = finish(database, second, LEFT);
      await until(async () => (await database.query(WAITING)).length > 0, "the second waits for the first");
      return ended;
    });
    expect([free, await waits]).toMatchObject([{ charged: 0n }, { charged: 30n }]);
  });

  test("counts for an account, too: whoever crosses its cap is suspended, and nobody else", async () => {
    const team = await account();
    const keys = [await keyIn(team), await keyIn(team), await keyIn(team), await keyIn(team)];
    const lone = await loneKey(database, { bucket: BUCKET, funds: 1_000n });

    const over: boolean[] = [];
    for (const key of keys) over.push(await absorb(key, 40n, { accountCapPerHour: 150n }));
    expect(over).toEqual([false, false, false, true]);
    const [, , , last = ""] = keys;
    expect(await createLedgerStore(database).suspend([last])).toEqual([last]);
    expect(await Promise.all(keys.map(statusOf))).toEqual(["active", "active", "active", "suspended"]);
    // One that is its own account has one cap.
    expect(await absorb((await readLoneKey(database, lone.keyId)).keyId, 45n, { accountCapPerHour: 40n })).toBe(false);
  });

  test("a company with one organisation and 2,000 keys is 2,000 payers", async () => {
    const company = await account("organisation");
    await signIns(database).person("lead@company.example", company);
    await database.query(
      "insert into key (id, bucket, mode, account_id) select gen_random_uuid(), $1, 'credit', $2 from generate_series(1, 2000)",
      [BUCKET, company],
    );
    const keys = await createKeyStore(database).list({ limit: 1_000, within: [company] });
    const payers = new Set(keys.map(({ payer }) => payer));
    expect(payers.size).toBe(1_000);
    const [row] = await database.query<{ payers: number }>(
      "select count(distinct payer_of(id, person_id, account_id))::int as payers from key where account_id = $1",
      [company],
    );
    expect(row?.payers).toBe(2_000);

    // One payer may have 10 of the 1,000 requests; here each has one, and all are in use.
    const limits = { openRequests: 1_000, bodyBytes: 10, bodyBudgetBytes: 1_000, keySharePercent: 1 };
    const { enter } = createPayerShares({ ...limits, makeRoom: () => false });
    for (const payer of payers) expect(() => enter(payer).take(1)).not.toThrow();
  });
});
