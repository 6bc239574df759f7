import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import { createId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { createPeopleStore } from "../people/people-store.ts";
import { createTokenSecret } from "../entrance/person-secret.ts";
import { createTokenStore } from "../entrance/token/token-store.ts";

const UNITS = ["credit", "tokens"] as const;
const MODELS = [null, ["small"], ["small", "large"]] as const;
type Unit = (typeof UNITS)[number];

let database: Database;
let admin: AdminApp;
let made = 0;
beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database);
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

type Body = Record<string, unknown>;
const post = (path: string, body: Body, secret?: string) => admin.ask("POST", `/admin/v1/${path}`, body, secret);

async function account(name: string, parent: string | null, secret?: string): Promise<string> {
  const reply = await post("accounts", { name, parent, kind: "team" }, secret);
  return reply.json<{ account: { id: string } }>().account.id;
}

async function key(of: string, mode = "credit", more: Body = {}): Promise<string> {
  return (await post("keys", { mode, account: of, ...more })).json<{ key: { id: string } }>().key.id;
}

/** The token of somebody who is owner of these accounts, and so may do there what any lead may. */
async function leadOf(accounts: readonly string[]): Promise<string> {
  const [id, tokenId] = [createId(Date.now() + ++made), createId(Date.now() + ++made)];
  const grants = accounts.map((accountId) => ({ role: "owner" as const, accountId }));
  const person = { id, email: `lead-${id}@acme.example`, name: "lead", accountId: null, passwordHash: null, grants };
  await createPeopleStore(database).insert({ ...person, source: "given", atMs: Date.now() });
  const { secret, digest, prefix } = createTokenSecret();
  const token = { id: tokenId, digest, prefix, personId: id, name: "a test", sessionId: null, role: null };
  const now = Date.now();
  await createTokenStore(database).insert({ ...token, accountId: null, createdAtMs: now, expiresAtMs: now + 9e6 });
  return secret;
}

const limit = (amount: number, unit: Unit = "credit", models: readonly string[] | null = null): Body => ({
  unit,
  amount: String(amount),
  period: "month",
  ...(models && { models }),
});
const budget = (tokens: number, reference: string): Body => ({ budget: tokens, reference });

describe("where nothing at or above a lead's account counts the unit", () => {
  async function team(gave: (team: string) => Promise<unknown>) {
    const root = `Guild ${++made}`;
    await account(root, null);
    const [top, sub] = [await account("Team", root), await account("Sub", `${root}/Team`)];
    const [credit, tokens] = [await key(sub), await key(sub, "token_budget")];
    await gave(top);
    const lead = await leadOf([top]);
    return {
      title: `${root}/Team`,
      ways: [
        ["a key's limit in credits", () => post(`keys/${credit}/limits`, limit(1e6), lead)],
        ["a key's limit in tokens", () => post(`keys/${tokens}/limits`, limit(1e9, "tokens"), lead)],
        ["an account's limit in credits", () => post(`accounts/${sub}/limits`, limit(1e6), lead)],
        ["an account's limit in tokens", () => post(`accounts/${sub}/limits`, limit(1e9, "tokens"), lead)],
        ["a budget", () => post(`keys/${tokens}/budget`, budget(1e9, `b${++made}`), lead)],
        ["a new key with a budget", () => post("keys", { mode: "token_budget", account: sub, budget: 9 }, lead)],
      ] as const,
    };
  }

  test("every way to set a limit is refused with the unit, the account and the fix", async () => {
    const { title, ways } = await team(() => Promise.resolve());

    for (const [way, attempt] of ways) {
      const reply = await attempt();
      const unit = way.includes("credits") ? "credits" : "tokens";
      expect([way, reply.statusCode], reply.body).toEqual([way, 409]);
      expect(reply.json<{ error: { message: string } }>().error.message).toBe(
        `Account ${title} and those above it have 0 purses or limits in ${unit}, so a limit below it would create ${unit}. Ask an operator to give ${title} a limit in ${unit} first.`,
      );
    }
  });

  test("every way works once an operator gave the unit", async () => {
    const { ways } = await team(async (top) => {
      for (const unit of UNITS) await post(`accounts/${top}/limits`, limit(50, unit));
    });

    for (const [way, attempt] of ways) expect((await attempt()).statusCode, way).toBeLessThan(300);
  });
});

test("a purse far above is enough, and a limit for some models is enough for these", async () => {
  const root = await account(`Guild ${++made}`, null);
  const [team, other] = [await account("Team", root), await account("Other", root)];
  const [sub, elsewhere] = [await account("Sub", team), await account("Sub", other)];
  const [lead, otherLead] = [await leadOf([team]), await leadOf([other])];
  await post(`accounts/${team}/limits`, limit(5, "tokens", ["small", "mid"]));
  await post(`accounts/${root}/topups`, { amount: "5", kind: "purchase", reference: `p${made}` });

  expect((await post(`accounts/${sub}/limits`, limit(9), lead)).statusCode).toBe(200);
  expect((await post(`accounts/${elsewhere}/limits`, limit(9), otherLead)).statusCode).toBe(200);
  expect((await post(`accounts/${sub}/limits`, limit(9, "tokens", ["small"]), lead)).statusCode).toBe(200);
  expect((await post(`accounts/${sub}/limits`, limit(9, "tokens", ["large"]), lead)).statusCode).toBe(409);
  expect((await post(`accounts/${sub}/limits`, limit(9, "tokens"), lead)).statusCode).toBe(409);
});

test("a limit that an operator set is not the lead's to remove where nothing else would count", async () => {
  const root = await account(`Guild ${++made}`, null);
  const team = await account("Team", root);
  const lead = await leadOf([root]);
  const members = [await key(team), await key(team)];
  for (const member of members) await post(`keys/${member}/limits`, limit(5));
  await post(`accounts/${team}/limits`, limit(5));
  const remove = () => post(`accounts/${team}/limits/remove`, { unit: "credit", period: "month" }, lead);

  expect((await remove()).statusCode).toBe(409);
  await post(`accounts/${root}/limits`, limit(5));
  expect((await remove()).statusCode).toBe(200);
});

/** A tree as its operators and leads left it. */
type Counter = { unit: Unit; models: readonly string[] | null; amount: number };
type Node = { id: string; parent: string | null; counters: Counter[]; keys: { mode: Unit; counters: Counter[] }[] };

/** What keys below an account can spend of a unit on a model, if there are keys enough. */
function spendable(tree: Node[], at: string, of: { unit: Unit; model: string }): number {
  const counting = (counters: Counter[]) =>
    counters.filter(({ unit, models }) => unit === of.unit && (models?.includes(of.model) ?? true));
  const least = (counters: Counter[]) => Math.min(...counting(counters).map(({ amount }) => amount));
  const above: Counter[] = [];
  for (let node = tree.find(({ id }) => id === at); node; node = tree.find(({ id }) => id === node?.parent))
    above.push(...node.counters);
  if (counting(above).length > 0) return least(above);
  const below = tree.filter(({ parent }) => parent === at).map(({ id }) => spendable(tree, id, of));
  const here = tree.find(({ id }) => id === at)?.keys.filter(({ mode }) => mode === of.unit) ?? [];
  const own = here.map(({ counters }) => (counting(counters).length === 0 ? 0 : least(counters)));
  return [...below, ...own].reduce((sum, amount) => sum + amount, 0);
}

type Shown = { unit: Unit; models: readonly string[] | null; amount?: string; posted?: string; balance?: string };
type ShownTree = {
  account: { id: string; parent_id: string | null; counters: Shown[] };
  below: { id: string; parent_id: string | null; counters: Shown[] }[];
  keys: { id: string; account_id: string; mode: string; counters: Shown[] }[];
};

async function treeAt(root: string): Promise<Node[]> {
  const shown = (await admin.ask("GET", `/admin/v1/accounts/${root}`)).json<ShownTree>();
  const read = (counters: Shown[]): Counter[] =>
    counters.map(({ unit, models, amount }) => ({ unit, models, amount: Number(amount) }));
  return [shown.account, ...shown.below].map(({ id, parent_id: parent, counters }) => ({
    id,
    parent,
    counters: read(counters),
    keys: shown.keys
      .filter(({ account_id: of }) => of === id)
      .map(({ mode, counters: own }) => ({ mode: mode === "credit" ? "credit" : "tokens", counters: read(own) })),
  }));
}

const pick = fc.nat({ max: 99 });
const order = { at: pick, amount: fc.integer({ min: 1, max: 1_000_000 }), unit: fc.nat(1), models: fc.nat(2) };
const trees = fc.record({
  parents: fc.array(pick, { minLength: 2, maxLength: 6 }),
  keys: fc.array(fc.record({ at: pick, unit: fc.nat(1) }), { minLength: 1, maxLength: 4 }),
  gave: fc.array(fc.record({ ...order, toKey: fc.boolean() }), { minLength: 2, maxLength: 8 }),
  leads: fc.uniqueArray(pick, { minLength: 1, maxLength: 2 }),
  asked: fc.array(fc.record({ ...order, verb: fc.nat(7), to: pick }), { minLength: 4, maxLength: 14 }),
});

test("whatever leads do, keys below them can't spend more than operators gave", { timeout: 120_000 }, async () => {
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(trees, async ({ parents, keys: orders, gave, leads, asked }) => {
      const root = await account(`Guild ${++made}`, null);
      const [accounts, keys, depths] = [[root], [] as string[], [1]];
      for (const parent of parents) {
        const at = parent % accounts.length;
        if ((depths[at] ?? 4) > 3) continue;
        accounts.push(await account(`Team ${accounts.length}`, accounts[at] ?? ""));
        depths.push((depths[at] ?? 0) + 1);
      }
      const one = <Item>(items: readonly Item[], index: number) => items[index % items.length] as Item;
      for (const { at, unit } of orders) keys.push(await key(one(accounts, at), one(["credit", "token_budget"], unit)));
      for (const { at, amount, unit, models, toKey } of gave) {
        const holder = toKey ? `keys/${one(keys, at)}` : `accounts/${one(accounts, at)}`;
        await post(`${holder}/limits`, limit(amount, UNITS[unit], MODELS[models]));
      }
      // Near the root, so that most of the tree is theirs.
      const led = leads.map((at) => one(accounts.slice(0, 3), at));
      const secret = await leadOf(led);
      const before = await treeAt(root);

      for (const { verb, at, to, amount, unit, models } of asked) {
        const wish = limit(amount, UNITS[unit], MODELS[models]);
        const { amount: _amount, ...which } = wish;
        const [account, into, held] = [one(accounts, at), one(accounts, to), one(keys, at)];
        const verbs = [
          () => post(`accounts/${account}/limits`, wish, secret),
          () => post(`keys/${held}/limits`, wish, secret),
          () => post(`accounts/${account}/limits/remove`, which, secret),
          () => post(`keys/${held}/limits/remove`, which, secret),
          () => post(`keys/${held}/budget`, budget(amount, `b${++made}`), secret),
          () => post("keys", { mode: "token_budget", account, budget: amount }, secret),
          () => post(`keys/${held}/move`, { account: into }, secret),
          () => admin.ask("PATCH", `/admin/v1/accounts/${account}`, { parent: into }, secret),
        ];
        const reply = await one(verbs, verb)();
        expect(reply.statusCode, reply.body).toBeLessThan(500);
        if (reply.statusCode < 300) allowed++;
      }

      const after = await treeAt(root);
      for (const at of new Set([root, ...led]))
        for (const unit of UNITS)
          for (const model of ["small", "large", "other"]) {
            const of = { unit, model };
            expect(spendable(after, at, of), `${unit} on ${model}`).toBeLessThanOrEqual(spendable(before, at, of));
          }
    }),
    { seed: 7, numRuns: 40, endOnFailure: true },
  );
  expect(allowed, "leads still do their work").toBeGreaterThan(20);
});
