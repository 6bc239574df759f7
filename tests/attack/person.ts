import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createKeyStore } from "../../src/keys/key-store.ts";
import { createSecret, digestOf } from "../../src/keys/secret.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { signIns } from "../support/signed-in.ts";
import { type Account, accountOf, type AccountRow, type StageKey } from "./account.ts";

/** Somebody who signs in, as often as they like, and pays from one purse. */
export type Person = {
  begin: () => Promise<StageKey>;
  /** A key in their own account. */
  ownKey: () => Promise<StageKey>;
  signOut: (session: StageKey) => Promise<void>;
  /** Of the purse, with the charges of all that spend from it. */
  account: () => Promise<Account>;
};

const BUCKET = 7;

const OWN = "(select id from key where account_id = $1)";
const SQL = `
  select c.posted::text as balance,
    (select coalesce(sum(h.credits), 0)::text from charge h join balance b on b.key_no = h.key_no where b.key_id in ${OWN}) as charged,
    (select count(*)::int from charge h join balance b on b.key_no = h.key_no where b.key_id in ${OWN}) as charges,
    (select count(*)::int from hold where key_id in ${OWN}) as holds,
    (select coalesce(sum(amount), 0)::text from house where key_id in ${OWN} and kind <> 'voided') as written_off,
    case when exists (select from key where id in ${OWN} and status = 'suspended') then 'suspended' else 'active' end as status
  from counter_anywhere c where c.id = $2`;

export async function makePerson(database: Database, credit: bigint): Promise<Person> {
  const accountId = createId(Date.now());
  await database.query("select account_open_v1($1, null, $2, 'person', $3)", [accountId, accountId, BUCKET]);
  const open = "select counter from counter_open_v1($1, null, 'purse', 'credit', 0, 'none', null, 'attack')";
  const [purse] = await database.query<{ counter: number }>(open, [accountId]);
  await database.query("select fund_v1($1, $2, 'purchase', $3, 'attack')", [purse?.counter, accountId, credit]);
  const { person, begin, sessions } = signIns(database);
  const personId = await person(`${accountId}@acme.example`, accountId);
  return {
    begin: async () => {
      const { sessionId, accessToken } = await begin(personId);
      return { id: sessionId, secret: accessToken };
    },
    ownKey: () => ownKey(database, accountId),
    signOut: async ({ id }) => void (await sessions.end(personId, { id })),
    account: async () => {
      const [row] = await database.query<AccountRow>(SQL, [accountId, purse?.counter]);
      if (row === undefined) throw new Error(`no purse of ${accountId}`);
      return accountOf(row);
    },
  };
}

async function ownKey(database: Database, accountId: string): Promise<StageKey> {
  const { secret, prefix } = createSecret("credit", BUCKET);
  rememberSecrets([secret]);
  const id = createId(Date.now());
  await createKeyStore(database).insert({
    id,
    bucket: BUCKET,
    mode: "credit",
    prefix,
    label: null,
    providerScope: "all",
    models: null,
    tiers: null,
    regions: null,
    rpmLimit: null,
    expiresAtMs: null,
    secretDigest: Buffer.from(digestOf(secret), "base64url"),
    accountId,
  });
  return { id, secret };
}
