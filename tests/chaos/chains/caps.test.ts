import { describe, expect, test } from "vitest";
import { createId } from "../../../src/core/ids.ts";
import { createSecret, digestOf } from "../../../src/keys/secret.ts";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import type { StageKey } from "../ledger/ask.ts";
import type { ClientEntry } from "../ledger/evidence.ts";
import { withClient } from "../ledger/read-ledger.ts";
import { type Stage, startStage } from "../ledger/stage.ts";

const REQUESTS = 500;
const BUCKET = 9;
const MAX_TOKENS = 100;
/** What the organisation can pay for. */
const ADMITTED = 30;

type Row = Record<string, string | number | null>;
type Level = {
  name: string;
  parent: string | null;
  affords: Partial<Record<"credit" | "tokens", number>>;
  pays?: boolean;
};

/** Each level can pay for so many requests; keys are below the teams and the person. */
const EXACT: Level[] = [
  { name: "Acme", parent: null, affords: { credit: ADMITTED }, pays: true },
  { name: "Team A", parent: "Acme", affords: { credit: 10 } },
  { name: "Team B", parent: "Acme", affords: { credit: 9 } },
  { name: "Team C", parent: "Acme", affords: { credit: 6 } },
  { name: "Team D", parent: "Acme", affords: { credit: 5 } },
  { name: "Ann", parent: "Team A", affords: { credit: 3 } },
];
/** The same caps, some of them in tokens. */
const MIXED: Level[] = EXACT.map((level) =>
  level.name === "Team A" || level.name === "Team D" || level.name === "Ann"
    ? { ...level, affords: { tokens: level.affords.credit ?? 0 } }
    : level,
);
/** Only the organisation and two below it are capped: whoever comes first has the rest. */
const LOOSE: Level[] = [
  EXACT[0],
  EXACT[1],
  ...["Team B", "Team C", "Team D"].map((name) => ({ name, parent: "Acme", affords: {} })),
  EXACT[5],
].filter((level) => level !== undefined);

describe.each([
  { gateways: 1, caps: "in credits", levels: EXACT, exact: true },
  { gateways: 4, caps: "in credits and tokens", levels: MIXED, exact: true },
  { gateways: 4, caps: "of the organisation alone", levels: LOOSE, exact: false },
])("$gateways gateways, caps $caps", ({ gateways: count, levels, exact }) => {
  test("500 requests at once: every level admits what it can pay for, and nobody more", async () => {
    await using parts = new AsyncDisposableStack();
    const stage = parts.adopt(await startStage({ patient: true }), (it) => it.close());
    const gateways = await Promise.all(Array.from({ length: count }, () => stage.startGateway()));
    const hold = await holdOfOne(stage, gateways[0] as { url: string });
    const { keys, accounts } = await plant(stage, levels, hold);

    const watched = watchCounters(stage);
    const answered: ClientEntry[] = [];
    let heads = 0;
    const ended = Array.from({ length: REQUESTS }, (_, index) =>
      stage
        .ask({
          gateway: gateways[index % count] as { url: string },
          key: keys[index % keys.length] as StageKey,
          model: "halfway",
          streamed: true,
          maxTokens: MAX_TOKENS,
          onHead: () => void heads++,
        })
        .then((entry) => void answered.push(entry)),
    );
    await until(() => heads >= REQUESTS, "all are answered", 120_000);
    const held = await heldBy(stage);
    const lowest = await watched.stop();
    await stage.witness.untilPaused(ADMITTED);
    await stage.witness.releaseAll();
    await Promise.all(ended);

    const admitted = answered.filter(({ status }) => status === 200).length;
    expect(admitted).toBe(ADMITTED);
    for (const { name, parent, affords } of levels) {
      const most = affords.credit ?? affords.tokens;
      const open = held.get(accounts.get(name) ?? "") ?? 0;
      if (most === undefined) continue;
      // Whoever is below a team may find it empty: others of the team may have come first.
      if (name === "Acme" || (exact && parent === "Acme")) expect(open, name).toBe(most);
      else expect(open, name).toBeLessThanOrEqual(most);
    }
    expect(lowest, "no counter was overdrawn at any look").toBeGreaterThanOrEqual(0n);
    const refused = answered.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(["429 balance_temporarily_reserved"]),
    );
    await stage.untilNothingHeld();
    expect(await stage.tollgate("ledger", "verify")).toMatchObject({ code: 0 });
  });
});

/** What one request of the scenario sets aside, in each unit. */
async function holdOfOne(stage: Stage, gateway: { url: string }): Promise<{ credit: bigint; tokens: bigint }> {
  const amounts: bigint[] = [];
  for (const means of [{ credit: 10n ** 15n }, { budget: 10n ** 9n }]) {
    const key = await stage.makeKey(means);
    const ended = stage.ask({ gateway, key, model: "halfway", streamed: true, maxTokens: MAX_TOKENS });
    const rows = () =>
      withClient(stage.cluster().url(), async (client) => {
        const { rows: found } = await client.query<Row>(
          "select coalesce(credits, tokens) as amount from hold where key_id = $1",
          [key.id],
        );
        return found;
      });
    await until(async () => (await rows()).length === 1, "one hold is open");
    amounts.push(BigInt((await rows())[0]?.["amount"] ?? 0));
    await stage.witness.untilPaused(1);
    await stage.witness.releaseAll();
    await ended;
  }
  const [credit = 0n, tokens = 0n] = amounts;
  return { credit, tokens };
}

/** Accounts with their caps, and ten keys below each team; one of Team A's is Ann's. */
function plant(stage: Stage, levels: readonly Level[], hold: { credit: bigint; tokens: bigint }) {
  const accounts = new Map<string, string>();
  const keys: StageKey[] = [];
  return withClient(stage.cluster().url(), async (client) => {
    const one = async (sql: string, values: unknown[]): Promise<Row> => {
      const { rows } = await client.query<Row>(sql, values);
      expect(rows[0]?.["result"] ?? "done", sql).toMatch(/^(done|funded)$/);
      return rows[0] as Row;
    };
    for (const { name, parent, affords, pays } of levels) {
      const id = createId(Date.now());
      accounts.set(name, id);
      const above = parent === null ? null : accounts.get(parent);
      await one("select (account_open_v1($1, $2, $3, 'team', $4)).*", [id, above, name, BUCKET]);
      for (const [unit, requests] of Object.entries(affords)) {
        const amount = String(hold[unit as "credit" | "tokens"] * BigInt(requests));
        const kind = pays === true ? "purse" : "limit";
        const { counter } = await one("select (counter_open_v1($1, null, $2, $3, $4, $5, null, 'stage')).*", [
          id,
          kind,
          unit,
          pays === true ? "0" : amount,
          pays === true ? "none" : "month",
        ]);
        if (pays === true)
          await one("select fund_v1($1, 'opening', 'purchase', $2, 'stage') as result", [counter, amount]);
      }
    }
    const teams = [...accounts.keys()].filter((name) => name.startsWith("Team"));
    for (const [index, team] of teams.flatMap((name) => Array.from({ length: 10 }, () => name)).entries())
      keys.push(await makeKey(client, accounts.get(index === 0 ? "Ann" : team) ?? ""));
    return { keys, accounts };
  });

  async function makeKey(
    client: { query: (sql: string, values: unknown[]) => Promise<unknown> },
    account: string,
  ): Promise<StageKey> {
    const { secret, prefix } = createSecret("credit", BUCKET);
    const id = createId(Date.now());
    rememberSecrets([secret]);
    await client.query("insert into key (id, bucket, mode, account_id) values ($1, $2, 'credit', $3)", [
      id,
      BUCKET,
      account,
    ]);
    await client.query("insert into key_secret (digest, key_id, bucket, prefix) values ($1, $2, $3, $4)", [
      Buffer.from(digestOf(secret), "base64url"),
      id,
      BUCKET,
      prefix,
    ]);
    return { id, secret, mode: "credit" };
  }
}

/** Open requests by account, those below it included. */
async function heldBy(stage: Stage): Promise<Map<string, number>> {
  const rows = await withClient(stage.cluster().url(), async (client) => {
    const { rows: found } = await client.query<Row>(
      "select a.id, count(*)::int as open from hold h join chain c on c.id = h.chain cross join unnest(c.accounts) a (id) group by 1",
    );
    return found;
  });
  return new Map(rows.map(({ id, open }) => [String(id), Number(open)]));
}

/** The least that any counter had left beside its holds, looked at again and again. */
function watchCounters(stage: Stage): { stop: () => Promise<bigint> } {
  let over = false;
  let lowest = 2n ** 62n;
  const looking = withClient(stage.cluster().url(), async (client) => {
    while (!over) {
      const { rows } = await client.query<Row>(
        "select min(least(posted - held, held))::text as lowest from counter_anywhere",
      );
      const seen = BigInt(rows[0]?.["lowest"] ?? 0);
      if (seen < lowest) lowest = seen;
    }
  });
  return {
    stop: async () => {
      over = true;
      await looking;
      return lowest;
    },
  };
}
