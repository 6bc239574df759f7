import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import { bearer, knock, type Reply } from "../knock.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, type Operation, RESPONSES } from "../operations.ts";
import { expectWaitUntil } from "../refused.ts";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../../support/chained-gateway.ts";

const missing = whyUnavailable("15");
type Usage = {
  credits: Record<"balance" | "used" | "remaining", number>;
  tokens: Record<"total" | "used", number>;
  requests: { total: number };
  explanation: string;
};

const FORMATS = [CHAT, RESPONSES, MESSAGE];

/** The first day of the next month, as a refusal writes it and as its header does. */
function renewal(): { day: string; at: string } {
  const now = new Date();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
  const month = next.toLocaleDateString("en-GB", { month: "long", timeZone: "UTC" });
  return { day: `1 ${month}`, at: next.toISOString() };
}

const messageOf = ({ text }: Reply): string => (JSON.parse(text) as { error: { message: string } }).error.message;
const codeOf = ({ text }: Reply): string => (JSON.parse(text) as { error: { code: string } }).error.code;

describe.skipIf(missing !== null)(`keys under accounts${missing === null ? "" : `: skipped, ${missing}`}`, () => {
  let tree: ChainedGateway;
  beforeAll(async () => {
    tree = await startChainedGateway();
  }, 180_000);
  afterAll(() => tree?.stop());

  const send = (operation: Operation, key: string, limit: number, fields: object = {}, origin = ""): Promise<Reply> =>
    ask(operation, {
      gateway: tree.gateway,
      key,
      origin,
      fields: { model: operation.dialect, [operation.limitField]: limit, ...fields },
    });

  test.each(FORMATS)(
    "$path says which limit above a key is short and when it renews, and the limit that it suggests is admitted",
    async (operation) => {
      const organisation = await tree.account(`Acme ${operation.dialect}`);
      const team = await tree.account("Team Search", organisation);
      const [purse, limit, tokens] = [
        await tree.purse(organisation, 100n * CREDIT),
        await tree.limit(team, { amount: 5n * CREDIT }),
        await tree.limit(team, { unit: "tokens", amount: 1_000_000n }),
      ];
      const key = await tree.key(team);
      const { day, at } = renewal();
      const refused = await send(operation, key, 8_000);
      const words = new RegExp(
        `^Team Search has 5 of 5 credits left this month; this request needs at least 8\\.\\d+\\. Renews ${day}\\. Or set ${operation.limitField} to ([\\d,]+) or less\\.$`,
      );
      const advised = Number(words.exec(messageOf(refused))?.[1]?.replaceAll(",", ""));

      expect(refused.status).toBe(402);
      expect(codeOf(refused)).toBe("insufficient_credit");
      expect(messageOf(refused)).toMatch(words);
      expect(refused.headers["x-tollgate-renews-at"]).toBe(at);
      expect(refused.headers["x-should-retry"]).toBe("false");
      expect((await send(operation, key, advised)).status).toBe(200);

      const used = await Promise.all([purse, limit, tokens].map(tree.usedOf));
      expect(used[0]).toBeGreaterThan(0n);
      // One request is charged the same wherever it counts, and a token is a thousandth of a credit.
      expect(used).toEqual([used[0], used[0], (used[0] ?? 0n) / 1_000_000n]);
    },
  );

  test.each(FORMATS)(
    "$path: a request that is too large is not told as the end of a limit; one that asks for little is",
    async (operation) => {
      const team = await tree.account(`Team Told ${operation.dialect}`);
      await tree.purse(team, 100n * CREDIT);
      const limit = await tree.limit(team, { amount: CREDIT / 200n });
      const key = await tree.key(team);
      const told = async (): Promise<string[]> => {
        const rows = await tree.query<{ cause: string }>("select cause from notice where counter = $1 order by no", [
          limit,
        ]);
        return rows.map(({ cause }) => cause);
      };

      for (let time = 0; time < 2; time++) expect((await send(operation, key, 20_000)).status).toBe(402);
      await until(async () => (await told()).length === 1, "the request that was too large is told");
      expect(await told()).toEqual(["too_large"]);
      for (let time = 0; time < 2; time++) expect((await send(operation, key, 20)).status).toBe(402);
      await until(async () => (await told()).length === 2, "the end of the limit is told");
      expect(await told()).toEqual(["too_large", "refused"]);
    },
  );

  test("a limit in tokens above the key that is used up is 429 with its renewal, whatever the key pays in", async () => {
    const team = await tree.account("Team Tokens");
    await tree.purse(team, 100n * CREDIT);
    await tree.limit(team, { unit: "tokens", amount: 0n });
    const member = await tree.key(team);
    const { day, at } = renewal();

    for (const operation of FORMATS) {
      const refused = await send(operation, member, 10);
      expect(refused.status).toBe(429);
      expect(codeOf(refused)).toBe("limit_reached");
      expect(messageOf(refused)).toBe(`Team Tokens has 0 of 0 tokens left this month. Renews ${day}.`);
      expect(refused.headers).toMatchObject({ "x-tollgate-renews-at": at, "x-should-retry": "false" });
      expectWaitUntil(refused, Date.parse(at));
    }
  });

  test("the smaller of two grants decides how long an answer may grow that has no limit of its own", async () => {
    const team = await tree.account("Team Grants");
    await tree.purse(team, 100n * CREDIT);
    await tree.limit(team, { unit: "tokens", amount: 6_000n });
    const key = await tree.key(team);
    const fields = { model: "chat" };
    const reply = await ask(CHAT, { gateway: tree.gateway, key, fields });

    expect(reply.status).toBe(200);
    // Half of what the tokens leave, less the input.
    expect(Number(reply.headers["x-tollgate-max-tokens"])).toBeGreaterThan(2_000);
    expect(Number(reply.headers["x-tollgate-max-tokens"])).toBeLessThan(3_000);
  });

  test("a limit for some models counts these alone, and refuses no other", async () => {
    const team = await tree.account("Team Models");
    const purse = await tree.purse(team, 100n * CREDIT);
    const some = await tree.limit(team, { amount: CREDIT, models: ["gpt-*"] });
    const key = await tree.key(team);
    const refused = await send(CHAT, key, 2_000, { model: "gpt-dear" });
    const other = await send(CHAT, key, 2_000);

    expect([refused.status, other.status]).toEqual([402, 200]);
    expect(messageOf(refused)).toMatch(
      /^Team Models has 1 of 1 credits left this month for gpt-\*; this request needs at least 2\./,
    );
    expect(await tree.usedOf(some)).toBe(0n);
    const before = await tree.usedOf(purse);
    expect(before).toBeGreaterThan(0n);
    expect((await send(CHAT, key, 100, { model: "gpt-dear" })).status).toBe(200);
    expect((await tree.usedOf(purse)) - before).toBe(await tree.usedOf(some));
  });

  test("a key that only limits for other models pay for is told so, and one that nobody pays for, too", async () => {
    const team = await tree.account("Team Nothing");
    const key = await tree.key(team);
    const nothing = await send(CHAT, key, 10);
    await tree.limit(team, { amount: CREDIT, models: ["gpt-*"] });
    await until(async () => messageOf(await send(CHAT, key, 10)).includes("other models"), "it has heard of the limit");
    const paid = await send(CHAT, key, 10, { model: "gpt-dear" });

    expect([nothing.status, paid.status]).toEqual([402, 200]);
    expect(messageOf(nothing)).toContain("neither it nor its account has been given any");
  });

  test("what a sibling's request holds is told as reserved, and is there again when that has ended", async () => {
    const team = await tree.account("Team Busy");
    await tree.limit(team, { amount: 10n * CREDIT });
    const [mine, yours] = [await tree.key(team), await tree.key(team)];
    const fields = { model: "endless-chat", max_tokens: 9_000 };
    const stream = await openStream(CHAT, { gateway: tree.gateway, key: mine, fields });
    await once(stream, "data");
    const reply = await send(CHAT, yours, 5_000);

    expect(reply.status).toBe(429);
    expect(codeOf(reply)).toBe("balance_temporarily_reserved");
    expect(messageOf(reply)).toMatch(
      /^Team Busy has 10 of 10 credits left this month, 9\.\d+ of them reserved by requests in progress; this request needs at least 5\.\d+\. Try again when they finish, or set max_tokens to \d+ or less\.$/,
    );
    expect(reply.headers["x-should-retry"]).toBe("true");
    stream.destroy();
    await until(async () => (await send(CHAT, yours, 5_000)).status === 200, "what was held is there again");
  });

  test("a token key under credits is sold no model without a price, and its usage shows its own unit", async () => {
    const team = await tree.account("Team Mixed");
    await tree.limit(team, { amount: 10n * CREDIT });
    await tree.limit(team, { unit: "tokens", amount: 5_000n });
    const key = await tree.key(team, "token_budget");
    const unpriced = await send(CHAT, key, 10, { model: "free" }, "/token");
    const priced = await send(CHAT, key, 10, {}, "/token");
    const { tokens, credits, explanation } = await usageOf(key, "/token");

    expect([unpriced.status, priced.status]).toEqual([404, 200]);
    expect(messageOf(unpriced)).toContain("counts credits");
    expect(tokens).toMatchObject({ budget: 5_000, used: tokens.total, remaining: 5_000 - tokens.total });
    expect(credits).toMatchObject({ balance: 0, used: tokens.total / 1_000 });
    expect(explanation).toContain(`Also: Team Mixed has ${10 - tokens.total / 1_000}`);
  });

  test("the summary of a key under accounts is of what binds it, and of nothing else but in words", async () => {
    const organisation = await tree.account("Acme Usage");
    const team = await tree.account("Team Usage", organisation);
    await tree.purse(organisation, 100n * CREDIT);
    await tree.limit(team, { amount: 5n * CREDIT });
    const [mine, yours] = [await tree.key(team), await tree.key(team)];
    await send(CHAT, mine, 10);
    await send(CHAT, yours, 10);
    const { credits, explanation, requests } = await usageOf(mine);

    expect(requests.total).toBe(1);
    expect(credits).toMatchObject({ total_purchased: 5, reserved: 0, remaining: credits.balance });
    // Both keys have used the limit; what is used is this key's own.
    expect(credits.balance).toBeCloseTo(5 - 2 * credits.used, 9);
    expect(credits).toMatchObject({ lifetime_spend: credits.used, today_spend: credits.used });
    expect(explanation).toContain(`Team Usage has ${credits.balance} of 5 credits left this month`);
    expect(explanation).toContain(`Renews ${renewal().day}.`);
    expect(explanation).toContain("Also: Acme Usage has");
  });

  test.each(FORMATS)("a stream of $path is cut when an account above its key is suspended", async (operation) => {
    const organisation = await tree.account(`Acme cut ${operation.dialect}`);
    const team = await tree.account("Team Cut", organisation);
    const limit = await tree.limit(team, { amount: 1_000n * CREDIT });
    const key = await tree.key(team);
    const stream = await openStream(operation, {
      gateway: tree.gateway,
      key,
      fields: { model: `endless-${operation.dialect}`, [operation.limitField]: 10_000 },
    });
    const first = once(stream, "data");
    const reading = readAll(stream);
    await first;
    await tree.setStatus(organisation, "suspended");
    const { text, broken } = await reading;

    expect(broken).toBe(false);
    expect(text).toContain("The account of this API key was suspended while the request was in progress.");
    await until(async () => (await tree.usedOf(limit)) > 0n, "what was delivered is charged");
    expect(await tree.usedOf(limit)).toBeLessThan(100n * CREDIT);
    expect((await send(operation, key, 10)).status).toBe(401);
    await tree.setStatus(organisation, "active");
    await until(async () => (await send(operation, key, 10)).status === 200, "it works again");
  });

  async function usageOf(key: string, origin = "") {
    const { status, text } = await knock(`${tree.gateway.publicUrl}${origin}/v1/usage`, { headers: bearer(key) });
    expect(status).toBe(200);
    return JSON.parse(text) as Usage;
  }
});
