import { createId } from "../../../src/core/ids.ts";
import type { Database } from "../../../src/db/database.ts";

/** What a gateway keeps of a key, as far as a turn needs it. */
export type Member = {
  keyId: string;
  version: number;
  chain: { id: number; counters: number[] };
  units: { credits: boolean; tokens: boolean };
};

export type Tree = { organisations: string[]; teams: string[]; keyIds: string[] };

export type TreeShape = {
  organisations: number;
  teamsEach: number;
  keysEach: number;
  /** What each organisation has paid in, in nano-credits. */
  paid: bigint;
  /** Of each team by the day, in nano-credits and in tokens; null: it has no limit of that unit. */
  teamCredits: bigint | null;
  teamTokens: bigint | null;
  /** Of each key by the day; null: only those above it pay. */
  keyCredits: bigint | null;
};

type Made = { result: string; counter: number | null };

/** Organisations with a purse, their teams with limits by the day, and the keys of each team. */
export async function plantTree(database: Database, shape: TreeShape, bucket = 7): Promise<Tree> {
  const made = async (sql: string, values: readonly unknown[]): Promise<number | null> => {
    const [row] = await database.query<Made>(`select result, counter from ${sql}`, values);
    if (row?.result !== "done") throw new Error(`${sql} answered ${row?.result}`);
    return row.counter;
  };
  const open = async (parent: string | null, name: string): Promise<string> => {
    const id = createId(Date.now());
    await made("account_open_v1($1, $2, $3, $4, $5)", [
      id,
      parent,
      name,
      parent === null ? "organisation" : "team",
      bucket,
    ]);
    return id;
  };
  const limit = (account: string, unit: string, amount: bigint): Promise<number | null> =>
    made("counter_open_v1($1, null, 'limit', $2, $3, 'day', null, 'storm')", [account, unit, amount]);

  const tree: Tree = { organisations: [], teams: [], keyIds: [] };
  for (let number = 1; number <= shape.organisations; number++) {
    const organisation = await open(null, `Organisation ${number}`);
    tree.organisations.push(organisation);
    const purse = await made("counter_open_v1($1, null, 'purse', 'credit', 0, 'none', null, 'storm')", [organisation]);
    await database.query("select fund_v1($1, $2, 'purchase', $3, 'storm')", [
      purse,
      `opening:${organisation}`,
      shape.paid,
    ]);
    for (let team = 1; team <= shape.teamsEach; team++) {
      const teamId = await open(organisation, `Team ${team}`);
      tree.teams.push(teamId);
      if (shape.teamCredits !== null) await limit(teamId, "credit", shape.teamCredits);
      if (shape.teamTokens !== null) await limit(teamId, "tokens", shape.teamTokens);
      const keyIds = Array.from({ length: shape.keysEach }, () => createId(Date.now()));
      await database.query(
        "insert into key (id, bucket, mode, account_id) select id, $2, 'credit', $3 from unnest($1::uuid[]) id",
        [keyIds, bucket, teamId],
      );
      tree.keyIds.push(...keyIds);
      if (shape.keyCredits === null) continue;
      for (const keyId of keyIds)
        await made("counter_open_v1(null, $1, 'limit', 'credit', $2, 'day', null, 'storm')", [keyId, shape.keyCredits]);
    }
  }
  return tree;
}

type MemberRow = { keyId: string; version: bigint; chain: number; counters: number[] | null; units: number };

/** Keys as a gateway reads them. */
export async function readMembers(database: Database, keyIds: readonly string[]): Promise<Member[]> {
  const rows = await database.query<MemberRow>(
    'select key_id as "keyId", version, chain, counters, units::int as units from balance where key_id = any ($1::uuid[])',
    [keyIds],
  );
  return rows.map(({ keyId, version, chain, counters, units }) => ({
    keyId,
    version: Number(version),
    chain: { id: chain, counters: counters ?? [] },
    units: { credits: (units & 1) !== 0, tokens: (units & 2) !== 0 },
  }));
}
