import { afterAll, beforeAll, expect, test } from "vitest";
import { formatAmount } from "../../../src/core/money/amount.ts";
import { requestIdOf } from "../../../src/core/ids.ts";
import type { Database } from "../../../src/db/database.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import type { VerifyReport } from "../../../src/ledger/verify/verify.ts";
import type { NamedStatement } from "../../../src/operator/money/usage.ts";
import { KEY_ORDER } from "../../support/key-order.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { findWrong } from "./fold.ts";
import { type Made, monthOf, openYear, OPERATOR, type Year } from "./year.ts";
import { runSeed } from "../../support/run-seed.ts";

const SEED = runSeed();
const CREDIT = 1_000_000_000n;
const HOUR_MS = 3_600_000;
/** Twelve months, and the first of the next year. */
const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month));
const WORKDAYS = [2, 9, 15, 21, 27];

let parts: AsyncDisposableStack;
let database: Database;
let year: Year;
/** Keys by whose they are, while they have one, and accounts by their names. */
const keys = new Map<string, string>();
const accounts = new Map<string, string>();
const paid: { month: string; amount: bigint }[] = [];
/** As each month was stated at its end. */
const stated = new Map<string, NamedStatement>();

beforeAll(async () => {
  parts = new AsyncDisposableStack();
  const fresh = parts.adopt(await freshDatabase(), (it) => it.close());
  const pool = { poolSize: 4, connectTimeoutMs: 20_000, statementTimeoutMs: 30_000, onError: () => undefined };
  database = parts.adopt(createPostgres({ url: fresh.url, ...pool }), (it) => it.close());
  year = await openYear(database, { startMs: Date.UTC(2026, 0, 1, 6), seed: SEED, prices: "every row" });
});
afterAll(() => parts.disposeAsync());

async function open(path: string, kind: string): Promise<void> {
  const names = path.split("/");
  const parent = names.slice(0, -1).join("/") || null;
  const { id } = await year.operator.accounts.create({ name: names.at(-1) ?? "", parent, kind }, OPERATOR);
  accounts.set(path, id);
}

/** A person with a limit by the month, and a key. */
async function join(path: string, amount: bigint): Promise<void> {
  await open(path, "person");
  await limit(path, amount);
  const { key } = await year.operator.keys.create({ ...KEY_ORDER, account: path }, OPERATOR);
  keys.set(path.split("/").at(-1) ?? "", key.id);
}

async function leave(name: string, path: string): Promise<void> {
  await year.operator.keys.changeStatus(keyOf(name), "revoke", OPERATOR);
  await year.operator.accounts.close(path, OPERATOR);
  keys.delete(name);
}

const keyOf = (name: string): string => keys.get(name) ?? "";
const accountOf = (path: string): string => accounts.get(path) ?? "";
const limit = (path: string, amount: bigint, unit: "credit" | "tokens" = "credit", models: string[] | null = null) =>
  year.operator.accounts.setLimit(path, { amount, unit, period: "month", models }, OPERATOR);

async function pay(amount: bigint, kind: "purchase" | "grant" | "adjust" = "purchase"): Promise<void> {
  const reference = `invoice ${paid.length + 1}`;
  await year.operator.accounts.topUp("Acme", { amount, kind, reference }, OPERATOR);
  paid.push({ month: year.month(), amount });
}

/** What happens on the first of each month, before anybody works. */
const EVENTS: (() => Promise<unknown>)[] = [
  async () => {
    await open("Acme", "organisation");
    for (const team of ["Search", "Support", "Lab"]) await open(`Acme/${team}`, "team");
    await limit("Acme/Search", 2n * CREDIT);
    await limit("Acme/Support", 300_000n, "tokens");
    await limit("Acme/Lab", CREDIT / 2n, "credit", ["large*"]);
    await join("Acme/Search/Ann", 2n * CREDIT);
    await join("Acme/Search/Bob", (3n * CREDIT) / 10n);
    await join("Acme/Support/Cleo", 2n * CREDIT);
    await join("Acme/Lab/Dan", 2n * CREDIT);
    await join("Acme/Lab/Gus", 2n * CREDIT);
    const { key } = await year.operator.keys.create({ ...KEY_ORDER, label: "Eve", credit: 9n * CREDIT }, OPERATOR);
    keys.set("Eve", key.id);
  },
  () => join("Acme/Search/Finn", 2n * CREDIT),
  async () => {
    await limit("Acme/Search/Bob", CREDIT / 2n);
    await limit("Acme/Search", 3n * CREDIT);
  },
  () => year.changePrice("large", { inputNano: 13n * CREDIT + 1n, outputNano: 63n * CREDIT }),
  async () => {
    const [purse] = (await year.operator.funds.show(keyOf("Eve"))).counters;
    const rest = purse?.posted ?? 0n;
    const payout = { amount: -rest, kind: "adjust", reference: "paid out to Eve" } as const;
    // She may have spent the last of it.
    if (rest !== 0n) await year.operator.funds.topUp(keyOf("Eve"), payout, OPERATOR);
    await open("Acme/Support/Eve", "person");
    await year.operator.keys.adopt(keyOf("Eve"), "Acme/Support/Eve", OPERATOR);
  },
  () => join("Acme/Support/Hal", 2n * CREDIT),
  () => year.operator.accounts.update("Acme/Search/Ann", { parent: "Acme/Support" }, OPERATOR),
  () => leave("Dan", "Acme/Lab/Dan"),
  async () => {
    await year.operator.keys.move(keyOf("Gus"), "Acme/Search/Finn", OPERATOR);
    await year.operator.accounts.close("Acme/Lab", OPERATOR);
  },
  async () => {
    await pay(5n * CREDIT, "grant");
    await pay(-2n * CREDIT, "adjust");
  },
  () => limit("Acme/Search/Bob", CREDIT / 5n),
  () => year.operator.accounts.removeLimit("Acme/Support", { unit: "tokens", period: "month", models: null }, OPERATOR),
];

const last = (month: string): Made[] => year.made.filter((one) => one.month === month && !one.voided);
const daysIn = (startMs: number): number => (nextMonth(startMs) - startMs) / (24 * HOUR_MS);
const nextMonth = (ms: number): number => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth() + 1);

/** Everybody works on some days; some of it is complained about, some was our fault. */
async function live(startMs: number): Promise<void> {
  for (const day of WORKDAYS) {
    await year.moveTo(startMs + (day - 1) * 24 * HOUR_MS + 10 * HOUR_MS);
    await year.work([...keys.values()], { rounds: 2, atOnce: 5 });
  }
  const month = monthOf(startMs);
  const mine = last(month).filter(({ charged }) => (charged.credits ?? 0n) > 100n);
  const [first, second, third] = mine.toReversed();
  const older = last(monthOf(startMs - 1)).find(({ charged }) => (charged.credits ?? 0n) > 100n);
  for (const one of [first, second, older]) if (one) await year.giveBack(one, half(one));
  for (const one of [second, third]) if (one) await year.undo(one);
}

const half = ({ charged }: Made) => ({
  credits: charged.credits && charged.credits / 2n,
  tokens: charged.tokens && charged.tokens / 2n,
});

type Sum = { credits: bigint; tokens: bigint; requests: number };
function sumOf(made: readonly Made[]): Sum {
  const sum = { credits: 0n, tokens: 0n, requests: made.length };
  for (const { charged } of made) {
    sum.credits += charged.credits ?? 0n;
    sum.tokens += charged.tokens ?? 0n;
  }
  return sum;
}

const below = (accountId: string): Made[] =>
  year.made.filter(({ accounts: path, voided }) => !voided && path.includes(accountId));
const inMonth = <Of extends { month: string }>(of: readonly Of[], month: string): Of[] =>
  of.filter((one) => one.month === month);
const statementOf = (path: string, month: string) => year.operator.usage.statement(accountOf(path), month);
/** With `recompute` it does all that it does without, and more. Of one key it is soon done: sums by the hour are everybody's. */
const verified = (recompute: boolean, key: string | null = null): Promise<VerifyReport> =>
  year.operator.books.verify({ key, recompute }, { actor: "test" });

/** What the statement of the organisation must say, by all that is remembered. */
function expected(month: string) {
  const acme = accountOf("Acme");
  const before = <Of extends { month: string }>(of: readonly Of[]): Of[] => of.filter((one) => one.month < month);
  const funded = (of: typeof paid): bigint => of.reduce((sum, { amount }) => sum + amount, 0n);
  const back = (of: Year["returned"]): bigint =>
    of
      .filter(({ of: { accounts: path, voided } }) => !voided && path.includes(acme))
      .reduce((sum, { amounts }) => sum + (amounts.credits ?? 0n), 0n);
  const totals = [
    funded(inMonth(paid, month)),
    sumOf(inMonth(below(acme), month)).credits,
    back(inMonth(year.returned, month)),
  ];
  const [now = 0n, charged = 0n, refunded = 0n] = totals;
  const opening = funded(before(paid)) - sumOf(before(below(acme))).credits + back(before(year.returned));
  return { opening, funded: now, charged, refunded, closing: opening + now - charged + refunded };
}

/** Teams and people by name, of what is below the organisation, as they were then. */
async function requireReport(month: string | null, days: number): Promise<void> {
  const report = await year.operator.usage.report({ kind: "account", name: "Acme" }, { days, by: "account" });
  const all = below(accountOf("Acme"));
  const byTeam = Map.groupBy(month === null ? all : inMonth(all, month), ({ accounts: path }) => path[1] ?? "");
  expect(
    Object.fromEntries(report.groups.map(({ id, credits, tokens, requests }) => [id, { credits, tokens, requests }])),
  ).toEqual(Object.fromEntries([...byTeam].map(([id, made]) => [id, sumOf(made)])));
}

test(
  `twelve months of an organisation add up, each by itself and one after the other (seed ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const bob: bigint[] = [];
    for (const [place, startMs] of MONTHS.entries()) {
      const month = monthOf(startMs);
      if (place > 0) await year.moveTo(startMs + 6 * HOUR_MS);
      await EVENTS[place]?.();
      await pay(10n * CREDIT);
      await live(startMs);
      await year.moveTo(nextMonth(startMs) + 2 * HOUR_MS);

      expect(await findWrong(database), month).toEqual([]);
      const { mismatches, ...counts } = await verified(true);
      expect(mismatches, month).toEqual([]);
      const charges = year.made.length;
      expect(counts).toMatchObject({ ok: true, holds: 0, charges, recomputed: charges });
      const statement = await statementOf("Acme", month);
      expect(statement, month).toMatchObject({ running: false, ...expected(month) });
      const before = place === 0 ? 0n : (await statementOf("Acme", monthOf(startMs - 1))).closing;
      expect(statement.opening, "what the month before closed with").toBe(before);
      await requireReport(month, daysIn(startMs) + 1);
      for (const path of ["Acme", "Acme/Search", "Acme/Support", "Acme/Lab"])
        stated.set(`${path} ${month}`, await statementOf(path, month));
      const { counters } = await year.operator.funds.show(keyOf("Bob"));
      const own = counters.find(({ holder, kind }) => kind === "limit" && holder === "Bob");
      bob.push(own?.used ?? -1n);
      expect(
        year.refused.filter(({ keyId, month: then }) => then === month && keyId === keyOf("Bob")).length,
      ).toBeGreaterThan(0);
    }
    expect(bob, "a new month begins with nothing used").toEqual(MONTHS.map(() => 0n));
  },
);

test("each monthly limit was renewed twelve times, and a closed team takes nobody", async () => {
  await year.work([...keys.values()], { rounds: 1, atOnce: 1 });
  const turns = await database.query<{ turns: bigint }>(
    `select count(*) as turns from funding f join counter c on c.id = f.counter
      where f.kind = 'turn' and c.account_id = $1`,
    [accountOf("Acme/Search/Bob")],
  );
  expect(turns).toEqual([{ turns: 12n }]);
  await expect(year.operator.keys.create({ ...KEY_ORDER, account: accountOf("Acme/Lab") }, OPERATOR)).rejects.toThrow(
    "Account Acme/Lab is closed, which is final.",
  );
});

test("months stay as they were stated, whoever moved, left or was closed since", async () => {
  for (const [name, statement] of stated) {
    const [path = "", month = ""] = name.split(" ");
    expect(await statementOf(path, month), name).toEqual(statement);
    if (path === "Acme") continue;
    const { credits, tokens } = sumOf(inMonth(below(accountOf(path)), month));
    expect(statement.charged, name).toBe(credits);
    expect(statement.lines.reduce((sum, line) => sum + line.tokens, 0n)).toBe(tokens);
  }
  const june = stated.get("Acme/Search 2026-06")?.lines ?? [];
  expect(
    june.find(({ keyId }) => keyId === keyOf("Ann"))?.requests,
    "Ann worked for Search until June",
  ).toBeGreaterThan(0n);
  const july = stated.get("Acme/Search 2026-07")?.lines ?? [];
  expect(july.find(({ keyId }) => keyId === keyOf("Ann"))).toBeUndefined();
  await requireReport(null, 366);
});

test("a request that is undone after its month changes both months alike", async () => {
  const [late] = last("2026-12").filter(
    ({ charged, accounts: path }) => charged.credits && path.includes(accountOf("Acme")),
  );
  if (late === undefined) throw new Error("nobody worked in December");
  await year.undo(late);
  const december = await statementOf("Acme", "2026-12");
  expect(december).toMatchObject(expected("2026-12"));
  const january = await statementOf("Acme", "2027-01");
  expect(january).toMatchObject({ running: true, ...expected("2027-01"), opening: december.closing });
  expect((await year.operator.accounts.show("Acme")).account.counters).toMatchObject([{ posted: january.closing }]);
  expect((await verified(true)).mismatches).toEqual([]);
});

/** One of the requests that Ann made in June, which cost what it was priced at. */
async function victim() {
  const [row] = await database.query<{ id: string; credits: bigint; output: bigint }>(
    `select c.hold_id as id, c.credits, c.output::bigint as output from charge_in_words c
      where c.key_id = $1 and c.at >= '2026-06-01 00:00Z' and c.at < '2026-07-01 00:00Z' and c.kind = 'completed' and c.credits > 100
        and not exists (select from refund f where f.hold_id = c.hold_id) and not exists (select from house h where h.hold_id = c.hold_id)
      order by 1 limit 1`,
    [keyOf("Ann")],
  );
  if (row === undefined) throw new Error("Ann made no request in June");
  return row;
}

/** As the owner of the tables can: the trigger that keeps the journal is off meanwhile. */
const forge = (id: string, column: "credits" | "output", by: number): Promise<void> =>
  database.script(`
    alter table charge disable trigger charge_is_final;
    update charge set ${column} = ${column} + (${by}) where hold_id = '${id}';
    alter table charge enable trigger charge_is_final`);

/** All sums that the falsified figure is part of. The limits of June are over. */
const mend = (id: string, column: "credits" | "output", by: number): Promise<void> =>
  database.script(`
    ${
      column === "credits"
        ? `update counter set used = used + (${by}), posted = posted - (${by}) where kind = 'purse' and account_id = '${accountOf("Acme")}';
           update balance set spent = spent + (${by}) where key_no = (select key_no from charge where hold_id = '${id}');`
        : `update balance set tokens_out = tokens_out + (${by}) where key_no = (select key_no from charge where hold_id = '${id}');`
    }
    update usage_rollup r set ${column} = r.${column} + (${by}) from charge c
     where c.hold_id = '${id}' and r.chain = c.chain and r.model = c.model and r.kind = c.kind and r.hour = date_trunc('hour', c.at, 'UTC');
    update usage_day r set ${column} = r.${column} + (${by}) from charge c
     where c.hold_id = '${id}' and r.chain = c.chain and r.model = c.model and r.kind = c.kind and r.day = date_trunc('day', c.at, 'UTC')`);

test("an amount that was falsified is found, and named even where every sum was falsified with it", async () => {
  const { id, credits } = await victim();
  const named = {
    keyId: keyOf("Ann"),
    column: `charge.credits (${requestIdOf(id)})`,
    expected: formatAmount("credit", credits),
    found: formatAmount("credit", credits - 50n),
  };
  await forge(id, "credits", -50);
  const plain = await verified(false);
  expect(plain.mismatches.map(({ column }) => column.replace(/ of .*/, "")).toSorted()).toEqual([
    "balance.spent",
    "counter.posted",
    "counter.used",
    "usage_rollup.credits",
  ]);
  expect((await verified(true, keyOf("Ann"))).mismatches).toContainEqual(expect.objectContaining(named));

  await mend(id, "credits", -50);
  expect((await verified(false)).mismatches, "sums alone no longer tell").toEqual([]);
  expect((await verified(true, keyOf("Ann"))).mismatches).toEqual([expect.objectContaining(named)]);

  await forge(id, "credits", 50);
  await mend(id, "credits", 50);
  expect((await verified(true, keyOf("Ann"))).mismatches).toEqual([]);
});

test("a count of tokens that was falsified is found, and named even where every sum was falsified with it", async () => {
  const { id, credits, output } = await victim();
  const named = {
    keyId: keyOf("Ann"),
    column: `charge.credits (${requestIdOf(id)})`,
    found: formatAmount("credit", credits),
  };
  await forge(id, "output", -1);
  const plain = await verified(false);
  expect(plain.mismatches.map(({ column }) => column.replace(/ of .*/, "")).toSorted()).toEqual([
    "balance.tokens_out",
    "usage_rollup.output",
  ]);
  expect((await verified(true, keyOf("Ann"))).mismatches).toContainEqual(expect.objectContaining(named));

  await mend(id, "output", -1);
  expect((await verified(false)).mismatches, "sums alone no longer tell").toEqual([]);
  expect((await verified(true, keyOf("Ann"))).mismatches).toEqual([expect.objectContaining(named)]);
  expect(output).toBeGreaterThan(1n);
});
