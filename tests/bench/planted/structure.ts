import type { Client } from "pg";
import { createId } from "../../../src/core/ids.ts";

export const TEAMS = 10;
export const KEYS = 400;
/** So many places share the traffic out among the keys. */
export const SLOTS = 10_000;

const BUCKET = 7;
const PAID = 1_000_000_000_000_000n;
const TEAM_MONTHLY = 100_000_000_000_000n;
const PERSON_MONTHLY = 100_000_000_000n;
const PROVIDERS = ["planted-north", "planted-south", "planted-east", "planted-west"];

/** The last three are free: their requests are recorded, and never charged. */
const MODELS = Array.from({ length: 12 }, (_, n) => ({
  id: `planted-${n + 1}`,
  provider: PROVIDERS[n % PROVIDERS.length] ?? "",
  second: PROVIDERS[(n + 1) % PROVIDERS.length] ?? "",
  inputNano: n < 9 ? 500_000_000 * (n + 1) : 0,
  outputNano: n < 9 ? 2_000_000_000 * (n + 1) : 0,
}));

/** An organisation with a purse, teams with limits, keys, of which every second is a person's, and the catalogue they use. */
export async function plantStructure(client: Client): Promise<void> {
  await plantCatalogue(client);
  const organisation = await openAccount(client, null, "Planted", "organisation");
  const purse = await openCounter(client, organisation, "'purse', 'credit', 0, 'none'");
  await client.query("select fund_v1($1, 'planted', 'purchase', $2, 'bench')", [purse, PAID]);
  const teams: string[] = [];
  for (let n = 1; n <= TEAMS; n += 1) {
    const team = await openAccount(client, organisation, `Team ${n}`, "team");
    await openCounter(client, team, `'limit', 'credit', ${TEAM_MONTHLY}, 'month'`);
    teams.push(team);
  }
  await client.query(`
    create table planted_key (n int primary key, key_id uuid not null, accounts uuid[] not null, key_no int, chain int);
    create table planted_slot (slot int primary key, n int not null)`);
  for (let n = 0; n < KEYS; n += 1) {
    const team = teams[n % TEAMS] ?? "";
    const person = n % 2 === 0 ? await openAccount(client, team, `Person ${n + 1}`, "person") : null;
    if (person !== null) await openCounter(client, person, `'limit', 'credit', ${PERSON_MONTHLY}, 'month'`);
    const keyId = createId(Date.now());
    const label = `Key ${n + 1}`;
    const account = person ?? team;
    await client.query("insert into key (id, bucket, mode, account_id, label) values ($1, $2, 'credit', $3, $4)", [
      keyId,
      BUCKET,
      account,
      label,
    ]);
    const accounts = [organisation, team, ...(person === null ? [] : [person])];
    await client.query("insert into planted_key (n, key_id, accounts) values ($1, $2, $3)", [n, keyId, accounts]);
  }
  await client.query(SHARES);
}

/** Keys get traffic as people do: the first a tenth of it all, the last next to nothing. */
const SHARES = `
  insert into key_secret (digest, key_id, bucket, prefix)
  select sha256(key_id::text::bytea), key_id, ${BUCKET}, 'tgc_pl' || to_char(n, 'FM000000') from planted_key;
  update planted_key p set key_no = b.key_no, chain = b.chain from balance b where b.key_id = p.key_id;
  insert into planted_slot
  with edge as materialized (
    select n, sum(power(n + 1, -0.9)) over (order by n) / sum(power(n + 1, -0.9)) over () as upto from planted_key
  )
  select slot, (select n from edge where upto > (slot + 0.5) / ${SLOTS} order by n limit 1) from generate_series(0, ${SLOTS - 1}) slot`;

async function plantCatalogue(client: Client): Promise<void> {
  await client.query(
    `insert into provider (name, base_url, credential_ref) select name, 'http://127.0.0.1:9', 'none' from unnest($1::text[]) name`,
    [PROVIDERS],
  );
  await client.query(
    "create table planted_model (n int primary key, id text, provider text, second text, word int, free boolean)",
  );
  for (const [n, { id, provider, second, inputNano, outputNano }] of MODELS.entries()) {
    await client.query(
      "insert into model (id, owned_by, provider, max_output_tokens) values ($1, 'bench', $2, 16384)",
      [id, provider],
    );
    await client.query(
      `insert into price (model_id, version, effective_from, input_nano, output_nano, cache_read_nano)
       values ($1, 1, now() - interval '60 days', $2::bigint, $3, $2::bigint / 10)`,
      [id, inputNano, outputNano],
    );
    await client.query(
      `insert into route (model_id, provider, upstream_model, dialect) select $1::text, p, $1::text, 'chat' from unnest($2::text[]) p`,
      [id, [provider, second]],
    );
    await client.query(
      `insert into planted_model select $1::int, $2::text, $3::text, $4::text, (select no from words_v1(array[$2::text]) where word = $2::text), $5::boolean`,
      [n, id, provider, second, inputNano === 0],
    );
  }
  await client.query("select from words_v1($1::text[])", [PROVIDERS]);
}

async function openAccount(client: Client, parent: string | null, name: string, kind: string): Promise<string> {
  const id = createId(Date.now());
  await done(client, "account_open_v1($1, $2, $3, $4, $5)", [id, parent, name, kind, BUCKET]);
  return id;
}

const openCounter = (client: Client, account: string, terms: string): Promise<number | null> =>
  done(client, `counter_open_v1($1, null, ${terms}, null, 'bench')`, [account]);

async function done(client: Client, call: string, values: unknown[]): Promise<number | null> {
  type Made = { result: string; counter: number | null };
  const { rows } = await client.query<Made>(`select result, counter from ${call}`, values);
  if (rows[0]?.result !== "done") throw new Error(`${call} answered ${rows[0]?.result}`);
  return rows[0].counter;
}
