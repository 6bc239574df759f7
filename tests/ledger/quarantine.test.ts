import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createId, requestIdOf } from "../../src/core/ids.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { createCheckpoints } from "../../src/ledger/duties/checkpoints.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/turn/ledger-store.ts";
import type { Checkpoint, Ledger, Quarantined } from "../../src/ledger/ledger.ts";
import { createQuarantineStore } from "../../src/ledger/duties/quarantine-store.ts";
import { startSweeper } from "../../src/ledger/duties/sweeper.ts";
import { createManageQuarantine, type ManageQuarantine } from "../../src/operator/money/quarantine.ts";
import { quarantinePage, released } from "../../src/contract/quarantine.ts";
import { written } from "../../src/wire/validate.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { askOf, endOf, loneKey, type LoneKey, tokensOf } from "../support/lone-key.ts";
import { SERVERS } from "./engines.ts";

const server = SERVERS[0];
const reason = server === undefined ? "no server" : server.reason;

describe.skipIf(reason !== null)("a hold that cannot be ended", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let ledger: Ledger;
  let desk: ManageQuarantine;
  const told: object[] = [];
  /** As operators read it. */
  const quarantine = {
    list: async (limit: number, after: string | null = null) =>
      written(quarantinePage, await desk.list({ limit, after })),
    release: async (id: string, end: "charge" | "void") =>
      written(released, await desk.release(id, end, { actor: "operator" })),
  };
  let [credit, other, tokens, sweeperId] = ["", "", "", ""];

  beforeAll(async () => {
    if (server) ({ database, close } = await server.open());
    ledger = createLedgerStore(database);
    const events = { holdReleased: (hold: object) => void told.push(hold) };
    desk = createManageQuarantine({ store: createQuarantineStore(database), events });
    await database.query("update test_clock set started = started - interval '1 hour'");
  });
  afterAll(() => close());
  beforeEach(async () => {
    told.length = 0;
    await database.script("delete from quarantine; delete from hold; update balance set held = 0, older_held = 0");
    [credit, other, tokens] = [await makeKey("credit"), await makeKey("credit"), await makeKey("token_budget")];
    sweeperId = await newSweeper();
  });

  const keys = new Map<string, LoneKey>();
  async function makeKey(mode: KeyMode): Promise<string> {
    const key = await loneKey(database, { mode, funds: 10_000n });
    keys.set(key.keyId, key);
    return key.keyId;
  }
  const keyOf = (keyId: string): LoneKey => {
    const key = keys.get(keyId);
    if (!key) throw new Error("keys are made here");
    return key;
  };

  /** A process that has renewed its lease for long. */
  async function newSweeper(): Promise<string> {
    const id = createId(Date.now());
    await ledger.heartbeat(id);
    await database.query("update process set renewing_since = renewing_since - interval '1 hour' where id = $1", [id]);
    return id;
  }

  /** Requests of 10 each, at a checkpoint of 3, whose process has died. */
  async function lose(keyId: string, count = 1): Promise<string[]> {
    const asks = Array.from({ length: count }, () => askOf(keyOf(keyId), { least: 10n, lifetimeMs: 60_000 }));
    const ids = asks.map(({ id }) => id);
    await ledger.admit(createId(2), asks);
    await ledger.checkpoint(ids.map((id) => checkpointOf(id, { keyId })));
    await database.query("update hold set admitted_at = admitted_at - interval '1 minute' where id = any ($1)", [ids]);
    return ids;
  }
  const usage = { ...NO_USAGE, inputTokens: 2, outputTokens: 1 };
  const checkpointOf = (id: string, fields: Partial<Checkpoint>): Checkpoint => {
    return { id, bucket: 7, keyId: credit, seq: 1, credits: 3n, usage, contentDelivered: true, ...fields };
  };

  /** One turn of a sweeper, as a process takes it. */
  async function turn(processId = sweeperId) {
    const found: { swept: number; quarantined: Quarantined[]; counted: number; calls: number } = {
      swept: 0,
      quarantined: [],
      counted: -1,
      calls: 0,
    };
    const ended = Promise.withResolvers<void>();
    const sweeper = startSweeper({
      ledger: {
        ...ledger,
        sweep: (...call) => {
          found.calls += 1;
          return ledger.sweep(...call);
        },
      },
      failureOf: ledgerFailureOf,
      processId,
      clock: { elapsedMs: () => 0 },
      everyMs: 1_000_000,
      onSwept: (holds) => {
        found.swept = holds;
        ended.resolve();
      },
      onQuarantined: (hold) => found.quarantined.push(hold),
      onCounted: ({ quarantined }) => (found.counted = quarantined),
      onFailed: ended.reject,
    });
    await ended.promise;
    await sweeper.stop();
    return found;
  }

  const open = async (): Promise<string[]> =>
    (await database.query<{ id: string }>("select id from hold order by id")).map(({ id }) => id);
  const balanceOf = async (keyId: string) => {
    const sql = `select posted, held, used, (select coalesce(sum(coalesce(credits, tokens)), 0)::bigint from hold h where h.key_id = b.key_id) as open
      from balance b where key_id = $1`;
    return (await database.query<Record<"posted" | "held" | "used" | "open", bigint>>(sql, [keyId]))[0];
  };
  const chargeOf = async (id: string) =>
    (
      await database.query(
        "select kind, coalesce(credits, tokens, 0) as amount from charge_in_words where hold_id = $1",
        [id],
      )
    )[0];

  /** A charge that stands in the journal although the hold is open. */
  const chargeBeforehand = (id: string, keyId: string): Promise<unknown> =>
    database.query(
      `insert into charge (hold_id, admitted_at, at, key_no, chain, kind)
       select $1, ledger_now(), ledger_now(), key_no, 0, 6 from balance where key_id = $2`,
      [id, keyId],
    );
  const damage = (keyId: string): Promise<unknown> =>
    database.query("update balance set held = 5 where key_id = $1", [keyId]);
  const mend = (keyId: string): Promise<unknown> =>
    database.query(
      "update balance b set held = (select sum(coalesce(credits, tokens)) from hold h where h.key_id = b.key_id) where key_id = $1",
      [keyId],
    );
  const report = () => verify(createVerifyStore(database), { keyId: null, recompute: false, onProgress: () => 0 });

  test("the lag of the sweep is the time since the oldest hold was lost, without those in quarantine", async () => {
    const [dead = ""] = await lose(credit);
    const late = await lose(other, 2);
    await database.query("update hold set deadline = ledger_now() - interval '90 seconds' where id = $1", [late[0]]);

    const before = await ledger.countLost();
    await chargeBeforehand(late[0] ?? "", other);
    await database.query(
      "insert into quarantine (hold_id, key_id, since, code, reason) values ($1, $2, ledger_now(), '23505', 'r')",
      [late[0], other],
    );
    const without = await ledger.countLost();
    await database.query("delete from hold where id = any ($1)", [[dead, late[1]]]);

    expect(before.quarantined).toBe(0);
    expect(before.lagSeconds).toBeGreaterThanOrEqual(90);
    expect(before.lagSeconds).toBeLessThan(120);
    // Admitted a minute ago by a process without a lease: lost 15 s after that.
    expect(without.lagSeconds).toBeGreaterThanOrEqual(45);
    expect(without.lagSeconds).toBeLessThan(75);
    expect(await ledger.countLost()).toEqual({ quarantined: 1, lagSeconds: 0 });
  });

  test("is set aside with the reason, and all others are ended in the same turn [I2, I6]", async () => {
    const before = await lose(other, 3);
    const [bad = ""] = await lose(credit);
    const after = [...(await lose(other, 3)), ...(await lose(tokens, 3))];
    await chargeBeforehand(bad, credit);

    const { swept, quarantined, counted } = await turn();

    expect(swept).toBe(before.length + after.length);
    expect(quarantined).toMatchObject([{ id: bad, keyId: credit, code: "23505" }]);
    expect(quarantined[0]?.reason).toMatch(/^duplicate key value violates unique constraint "charge/);
    expect(counted).toBe(1);
    expect(await open()).toEqual([bad]);
    expect(await balanceOf(credit)).toEqual({ posted: 10_000n, held: 10n, used: 0n, open: 10n });
    expect(await balanceOf(other)).toEqual({ posted: 9_982n, held: 0n, used: 18n, open: 0n });
  });

  test("is told of once: neither the next turn nor a process that starts later tries it again [I4]", async () => {
    const [bad = ""] = await lose(credit);
    await chargeBeforehand(bad, credit);
    await turn();
    const later = await lose(other, 2);

    const [again, restarted] = [await turn(), await turn(await newSweeper())];

    expect(again).toMatchObject({ swept: later.length, quarantined: [], counted: 1 });
    expect(restarted).toMatchObject({ swept: 0, quarantined: [], counted: 1 });
  });

  test("of a key whose balance is damaged keeps nobody else waiting, and no turn is unbounded [I2]", async () => {
    const bad = await lose(credit, 100);
    await damage(credit);
    const others = [...(await lose(other, 60)), ...(await lose(tokens, 60))];

    const first = await turn();
    expect(first.swept).toBe(others.length);
    expect(first.calls).toBeLessThanOrEqual(64);
    const turns = [first, await turn(), await turn(), await turn()];

    expect(new Set(turns.flatMap(({ quarantined }) => quarantined.map(({ id }) => id)))).toEqual(new Set(bad));
    expect(turns.at(-1)).toMatchObject({ counted: 100, quarantined: [] });
    expect((await open()).length).toBe(100);
    const later = await lose(tokens, 5);
    expect(await turn()).toMatchObject({ swept: later.length, quarantined: [] });
  });

  test("is found by one of several sweepers that meet, and every other hold is ended once [I4]", async () => {
    const bad: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const [keyId] = [await makeKey("credit")];
      const [id = ""] = await lose(keyId);
      await lose(other, 8);
      await chargeBeforehand(id, keyId);
      bad.push(id);
    }
    const sweepers = [sweeperId, await newSweeper(), await newSweeper()];

    const turns = await Promise.all(sweepers.map((id) => turn(id)));
    turns.push(await turn());

    expect(turns.flatMap(({ quarantined }) => quarantined.map(({ id }) => id)).sort()).toEqual(bad.sort());
    expect(turns.reduce((sum, { swept }) => sum + swept, 0)).toBe(48);
    expect(await open()).toEqual(bad);
    expect(await balanceOf(other)).toMatchObject({ held: 0n, used: 144n });
  });

  test("can still be ended by the process that serves it, and then it is set aside no longer [I4]", async () => {
    const [id = ""] = await lose(tokens);
    await database.query("insert into test_poison values ($1)", [id]);
    expect(await turn()).toMatchObject({ quarantined: [{ id, code: "23514", reason: "poisoned by the test" }] });

    const settled = await ledger.settle([endOf(askOf(keyOf(tokens), { id }))]);

    expect(settled).toEqual([{ kind: "settled", charged: tokensOf(7n) }]);
    expect((await quarantine.list(10)).total).toBe(0);
    expect(await turn()).toMatchObject({ counted: 0 });
    expect(await database.query("select from quarantine")).toEqual([]);
  });

  test.each<[string, Partial<Checkpoint>]>([
    ["input below 0", { usage: { ...NO_USAGE, inputTokens: -1 } }],
    ["output below 0", { usage: { ...NO_USAGE, outputTokens: -1 } }],
    ["a cost below 0", { credits: -1n }],
    ["more than 10^9 tokens of input", { usage: { ...NO_USAGE, inputTokens: 1_000_000_001 } }],
    ["more than 10^9 tokens of output", { usage: { ...NO_USAGE, outputTokens: 1_000_000_001 } }],
    ["more than a million credits", { credits: 1_000_000_000_000_001n }],
    ["a number beyond its column", { seq: 2 ** 31 }],
  ])("is not made by a checkpoint of %s, which is refused without its neighbours", async (_, impossible) => {
    const ids = await lose(credit, 5);
    const failures: unknown[] = [];
    const checkpoints = createCheckpoints({
      checkpoint: ledger.checkpoint,
      failureOf: ledgerFailureOf,
      clock: { elapsedMs: () => performance.now() },
      limits: { items: 100, everyMs: 1, retryMs: 1 },
      onClosed: (id) => failures.push(id),
      onWritten: () => undefined,
      onFailed: (error) => failures.push(error),
    });
    for (const [n, id] of ids.entries())
      checkpoints.add(checkpointOf(id, { seq: 2, credits: 4n, ...(n === 2 ? impossible : {}) }));
    await checkpoints.stop();

    expect(failures).toHaveLength(1);
    const costs = await database.query<{ cost: bigint }>("select checkpoint_credits as cost from hold order by 1");
    expect(costs.map(({ cost }) => cost)).toEqual([3n, 4n, 4n, 4n, 4n]);
    expect(await turn()).toMatchObject({ swept: 5, quarantined: [] });
  });

  test("is listed with what it holds, since when, why, and what to do", async () => {
    const [bad = ""] = await lose(credit);
    const [worse = ""] = await lose(tokens);
    await chargeBeforehand(bad, credit);
    await damage(tokens);
    await turn();

    const { data: holds, total } = await quarantine.list(10);

    expect(total).toBe(2);
    expect(holds.find(({ key_id: id }) => id === credit)).toMatchObject({
      request_id: requestIdOf(bad),
      unit: "credit",
      reserved: "0.00000001",
      would_charge: "0.000000003",
      model: "m",
      sqlstate: "23505",
      fix: expect.stringContaining("--void") as string,
    });
    expect(holds.find(({ key_id: id }) => id === tokens)).toMatchObject({
      request_id: requestIdOf(worse),
      reserved: "10",
      would_charge: "3",
      sqlstate: "23514",
      fix: expect.stringContaining("tollgate ledger verify --key KEY") as string,
    });
    expect((await quarantine.list(1)).data).toHaveLength(1);
  });

  test("is listed once and is not left out, however many there are to a page and whatever is released meanwhile", async () => {
    const bad = await lose(credit, 7);
    for (const id of bad) await chargeBeforehand(id, credit);
    await turn();

    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const page = await quarantine.list(2, after);
      seen.push(...page.data.map((hold) => hold.request_id));
      if (page.next === null) break;
      after = page.next;
      // What was seen goes, and what comes is newer than all that is left.
      await quarantine.release(seen.at(-1) ?? "", "void");
    }

    expect(seen.toSorted()).toEqual(bad.map(requestIdOf).toSorted());
  });

  test("is charged when it is released after its balance was mended, and the journal says who did it [I1, I7]", async () => {
    const [bad = ""] = await lose(tokens);
    await damage(tokens);
    await turn();
    expect(await report()).toMatchObject({ ok: false, quarantined: 1 });

    expect(await quarantine.release(requestIdOf(bad), "charge")).toMatchObject({
      result: "refused",
      sqlstate: "23514",
      fix: expect.stringContaining("damaged") as string,
    });
    expect(await quarantine.release(requestIdOf(bad), "void")).toMatchObject({ result: "refused" });
    expect(await open()).toEqual([bad]);
    await mend(tokens);
    expect(await report()).toMatchObject({ ok: true, quarantined: 1 });
    expect(await quarantine.release(requestIdOf(bad), "charge")).toMatchObject({ result: "charged", charged: "3" });

    expect(await chargeOf(bad)).toEqual({ kind: "swept", amount: 3n });
    expect(await balanceOf(tokens)).toEqual({ posted: 9_997n, held: 0n, used: 3n, open: 0n });
    expect(await database.query("select actor, void from release where hold_id = $1", [bad])).toEqual([
      { actor: "operator", void: false },
    ]);
    expect(await report()).toMatchObject({ ok: true, quarantined: 0 });
    expect(await quarantine.release(bad, "charge")).toMatchObject({ result: "not_quarantined" });
    expect(told).toEqual([{ released: requestIdOf(bad), result: "charged", actor: "operator" }]);
  });

  test.each(["credit", "token_budget"] as const)(
    "of a %s key that was charged already is given back by a void and by nothing else [I1, I2]",
    async (mode) => {
      const keyId = await makeKey(mode);
      const [bad = ""] = await lose(keyId);
      await chargeBeforehand(bad, keyId);
      await turn();

      expect(await quarantine.release(bad, "charge")).toMatchObject({ result: "refused", sqlstate: "23505" });
      expect(await quarantine.release(bad, "void")).toMatchObject({ result: "voided", charged: "0" });

      expect(await open()).toEqual([]);
      expect(await balanceOf(keyId)).toEqual({ posted: 10_000n, held: 0n, used: 0n, open: 0n });
      expect(await chargeOf(bad)).toEqual({ kind: "voided", amount: 0n });
    },
  );

  test("that is released at 0 leaves a charge of 0 and frees what it held [I1, I2]", async () => {
    const [bad = ""] = await lose(credit);
    await database.query("insert into test_poison values ($1)", [bad]);
    await turn();

    expect(await quarantine.release(bad, "charge")).toMatchObject({
      result: "refused",
      reason: "poisoned by the test",
    });
    expect(await quarantine.release(bad, "void")).toMatchObject({ result: "voided" });

    expect(await chargeOf(bad)).toEqual({ kind: "voided", amount: 0n });
    expect(await balanceOf(credit)).toEqual({ posted: 10_000n, held: 0n, used: 0n, open: 0n });
    expect(await report()).toMatchObject({ ok: true, quarantined: 0 });
  });

  test.each(["req_nothing", "x", ""])("is no %j, which cannot be released", async (id) => {
    await expect(quarantine.release(id, "charge")).rejects.toMatchObject({ code: "not_found" });
  });
});
