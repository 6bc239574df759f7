import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { createId } from "../core/ids.ts";
import type { Database, Queryable } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import type { KeyStore, NewKey } from "./key.ts";
import { createKeyStore } from "./key-store.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };
const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

let made = 0;
const newKey = (fields: Partial<NewKey> = {}): NewKey => {
  made += 1;
  return {
    id: createId(1_700_000_000_000 + made),
    bucket: 4095,
    mode: "credit",
    prefix: `tgc_fff${made}`,
    label: null,
    providerScope: "all",
    models: null,
    tiers: null,
    regions: null,
    rpmLimit: null,
    expiresAtMs: null,
    secretDigest: digestOf(`secret ${made}`),
    ...fields,
  };
};

for (const version of ["15", "newest"] as const) {
  const reason = whyUnavailable(version);
  describe.skipIf(reason !== null)(
    `keys on PostgreSQL ${version}${reason === null ? "" : `: skipped, ${reason}`}`,
    () => {
      let fresh: FreshDatabase;
      let database: Database;
      let store: KeyStore;
      beforeAll(async () => {
        fresh = await freshDatabase({ version });
        database = createPostgres({ url: fresh.tampererUrl, ...limits });
        store = createKeyStore(database);
      });
      const findByDigest = async (digest: Buffer) => (await store.findByDigests([digest]))[0];
      afterAll(async () => {
        await database?.close();
        await fresh?.close();
      });

      test("a lone key has a chain of its own counter, in the unit of its mode", async () => {
        for (const [mode, own] of [
          ["credit", "credit"],
          ["token_budget", "tokens"],
        ] as const) {
          const { id, accountId, accounts, accountStatus, chain } = await store.insert(newKey({ mode }));

          expect({ accountId, accounts, accountStatus }).toEqual({
            accountId: id,
            accounts: [id],
            accountStatus: "active",
          });
          expect(chain).toMatchObject({ own, counters: [] });
          expect(chain.id).toBeGreaterThan(0);
        }
      });

      test("a key in a tree is read with the accounts above it, the worst of their states, and the counters of its chain", async () => {
        const [root, team] = [createId(1), createId(2)];
        await database.query(
          "insert into account (id, bucket, path, name) values ($1, 4095, array[$1::uuid], $1::text)",
          [root],
        );
        await database.query(
          "insert into account (id, bucket, parent_id, path, name) values ($2, 4095, $1, array[$1, $2]::uuid[], 'Team Search')",
          [root, team],
        );
        const [purse, limit] = await database.query<{ id: number }>(
          `insert into counter (bucket, account_id, kind, unit, models) values
             (4095, $1, 'purse', 'credit', null), (4095, $2, 'limit', 'tokens', '{gpt-*,"o?"}') returning id`,
          [root, team],
        );
        const key = newKey({ accountId: team });
        const inserted = await store.insert(key);

        expect(inserted).toMatchObject({ accountId: team, accounts: [root, team], accountStatus: "active" });
        expect(inserted.chain).toMatchObject({
          own: null,
          counters: [
            { id: purse?.id, unit: "credit", models: null },
            { id: limit?.id, unit: "tokens", models: ["gpt-*", "o?"] },
          ],
        });
        expect(await findByDigest(key.secretDigest)).toEqual(inserted);

        const stateWith = async (status: string, of: string) => {
          await database.query("update account set status = $2 where id = $1", [of, status]);
          return (await findByDigest(key.secretDigest))?.accountStatus;
        };
        expect(await stateWith("suspended", team)).toBe("suspended");
        expect(await stateWith("closed", root)).toBe("disabled");
        expect(await stateWith("disabled", root)).toBe("disabled");
        expect(await stateWith("active", root)).toBe("suspended");
        expect(await stateWith("active", team)).toBe("active");

        const tiersWith = async (tiers: string[] | null, of: string) => {
          await database.query("update account set tiers = $2 where id = $1", [of, tiers]);
          return (await findByDigest(key.secretDigest))?.accountTiers;
        };
        expect(inserted.accountTiers).toBeNull();
        expect(await tiersWith(["flex", "priority"], root)).toEqual(["flex", "priority"]);
        expect(await tiersWith(["fast", "flex"], team)).toEqual(["flex"]);
        expect(await tiersWith([], root)).toEqual([]);
        expect(await tiersWith(null, root)).toEqual(["fast", "flex"]);
      });

      test("a key is found by the digest of its secret, with everything it was made with", async () => {
        const key = newKey({
          mode: "token_budget",
          label: `it's "quoted" \\ {}`,
          providerScope: "acme",
          models: ["a", 'b,"c'],
          tiers: ["flex"],
          rpmLimit: 60,
          expiresAtMs: 1_900_000_000_123,
        });

        const inserted = await store.insert(key);

        const { secretDigest, ...described } = key;
        expect(inserted).toMatchObject({ ...described, version: 1, status: "active", secretExpiresAtMs: null });
        expect(await findByDigest(secretDigest)).toEqual(inserted);
        expect(Math.abs(inserted.createdAtMs - Date.now())).toBeLessThan(60_000);
      });

      test("an unknown or withdrawn secret belongs to no key", async () => {
        const key = newKey();
        await store.insert(key);
        await database.query("update key_secret set withdrawn_at = now() where digest = $1", [key.secretDigest]);

        expect(await findByDigest(key.secretDigest)).toBeNull();
        expect(await findByDigest(digestOf("never made"))).toBeNull();
        expect(await findByDigest(Buffer.alloc(3))).toBeNull();
      });

      test("several secrets are looked up at once, each for itself", async () => {
        const [first, second] = [newKey(), newKey()];
        await store.insert(first);
        await store.insert(second);
        const found = await store.findByDigests([second.secretDigest, digestOf("never made"), first.secretDigest]);

        expect(found.map((key) => key?.id ?? null)).toEqual([second.id, null, first.id]);
        expect(await store.findByDigests([])).toEqual([]);
      });

      test("all digests but those of withdrawn secrets are listed page by page, and those of a key alone", async () => {
        const keys = Array.from({ length: 5 }, () => newKey());
        for (const key of keys) await store.insert(key);
        const [first, withdrawn, ...rest] = keys;
        await database.query("update key_secret set withdrawn_at = now() where digest = $1", [withdrawn?.secretDigest]);
        const listed: Buffer[] = [];
        for (
          let page = await store.digestsAfter(null, 2);
          page.length > 0;
          page = await store.digestsAfter(page.at(-1) ?? null, 2)
        )
          listed.push(...page);

        const texts = new Set(listed.map((digest) => digest.toString("hex")));
        expect(texts.size).toBe(listed.length);
        for (const key of [first, ...rest]) expect(texts).toContain(key?.secretDigest.toString("hex"));
        expect(texts).not.toContain(withdrawn?.secretDigest.toString("hex"));
        expect(await store.countSecrets()).toBeGreaterThan(listed.length);
        expect(await store.digestsOf([first?.id ?? "", withdrawn?.id ?? ""])).toEqual([first?.secretDigest]);
      });

      test("the lookup of a secret reads the index of digests, not the table", async () => {
        await database.script(`
        set session_replication_role = replica;
        insert into key_secret (digest, key_id, bucket, prefix)
        select sha256(i::text::bytea), gen_random_uuid(), 0, 'filler' from generate_series(1, 5000) i;
        set session_replication_role = origin;
        analyze key_secret`);

        const sent: string[] = [];
        const query: Queryable["query"] = (sql, values) => {
          sent.push(sql);
          return database.query(sql, values);
        };
        await createKeyStore({ query }).findByDigests([digestOf("any")]);
        const plan = await database.query<{ "QUERY PLAN": string }>(`explain ${sent[0]}`, [[digestOf("any")]]);
        await database.query("delete from key_secret where prefix = 'filler'");

        const steps = plan.map((line) => line["QUERY PLAN"]).join("\n");
        expect(sent).toHaveLength(1);
        expect(steps).toContain("Index Scan using key_secret_pkey on key_secret");
        expect(steps).not.toContain("Seq Scan on key_secret");
      });

      test("the same secret cannot belong to two keys, and a refused key leaves nothing behind", async () => {
        const first = newKey();
        await store.insert(first);
        const second = newKey({ secretDigest: first.secretDigest });

        await expect(store.insert(second)).rejects.toMatchObject({ code: "23505" });

        expect(await store.find(second.id)).toEqual([]);
      });

      test("keys are listed newest first, page by page, without gap or overlap", async () => {
        for (let count = 0; count < 5; count += 1) await store.insert(newKey());
        const everything = await store.list({ limit: 1_000 });
        const paged: string[] = [];

        for (let after: string | undefined; ; after = paged.at(-1)) {
          const page = await store.list(after === undefined ? { limit: 2 } : { limit: 2, after });
          if (page.length === 0) break;
          paged.push(...page.map(({ id }) => id));
        }

        expect(paged).toEqual(everything.map(({ id }) => id));
        expect(paged).toEqual([...paged].sort().toReversed());
        expect(await store.list({ limit: 10, after: "'; drop table key; --" })).toEqual([]);
      });

      test("a key is found by id and by prefix, also when that secret was withdrawn", async () => {
        const key = newKey();
        const inserted = await store.insert(key);
        await database.query(
          "insert into key_secret (digest, key_id, bucket, prefix) values ($1, $2, 4095, 'tgc_fffnew00')",
          [digestOf(`second of ${key.id}`), key.id],
        );
        await database.query("update key_secret set withdrawn_at = now() where digest = $1", [key.secretDigest]);

        expect(await store.find(key.id)).toMatchObject([{ id: key.id, prefix: "tgc_fffnew00" }]);
        expect(await store.find(key.prefix)).toMatchObject([{ id: key.id, prefix: key.prefix, label: inserted.label }]);
        expect(await store.find("nothing")).toEqual([]);
      });

      test("revocation is final, dated once, and raises the version [KEY-4] [KEY-5]", async () => {
        const key = newKey();
        await store.insert(key);
        const revoke = { from: ["active", "suspended", "disabled"], to: "revoked" } as const;
        const dates = () => database.query("select revoked_at from key where id = $1", [key.id]);

        expect(await store.changeStatus(key.id, revoke)).toBe(true);
        const dated = await dates();

        expect(await store.changeStatus(key.id, revoke)).toBe(false);
        expect(await store.find(key.id)).toMatchObject([{ status: "revoked", version: 2 }]);
        expect(await dates()).toEqual(dated);
        const revival = database.query("update key set status = 'active', revoked_at = null where id = $1", [key.id]);
        await expect(revival).rejects.toThrow("is revoked, which is final");
        expect(await store.changeStatus(createId(1), revoke)).toBe(false);
        expect(await store.changeStatus("not an id", revoke)).toBe(false);
      });

      test("a state is left only for where it may lead, and of two that race for it one wins [KEY-2] [KEY-3]", async () => {
        const key = newKey();
        await store.insert(key);
        const suspend = { from: ["active"], to: "suspended" } as const;
        const disable = { from: ["active"], to: "disabled" } as const;

        const won = await Promise.all([suspend, disable, suspend].map((change) => store.changeStatus(key.id, change)));

        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await store.find(key.id)).toMatchObject([{ version: 2 }]);
      });

      test("a change touches what it names and nothing else, and no revoked key", async () => {
        const key = newKey({ label: "before", rpmLimit: 5, expiresAtMs: 1_900_000_000_000 });
        await store.insert(key);

        expect(await store.update(key.id, { rpmLimit: 7 }, null)).toBe(true);
        expect(await store.find(key.id)).toMatchObject([
          { label: "before", rpmLimit: 7, expiresAtMs: 1_900_000_000_000, version: 2 },
        ]);
        expect(await store.update(key.id, { label: null, rpmLimit: null, expiresAtMs: null }, null)).toBe(true);
        expect(await store.find(key.id)).toMatchObject([{ label: null, rpmLimit: null, expiresAtMs: null }]);
        expect(await store.update(key.id, { providerScope: "acme", models: ["a", "b"] }, 3)).toBe(true);
        expect(await store.update(key.id, { models: null }, 3)).toBe(false);
        expect(await store.find(key.id)).toMatchObject([{ providerScope: "acme", models: ["a", "b"], version: 4 }]);
        expect(await store.update(key.id, { models: null }, 4)).toBe(true);
        expect(await store.find(key.id)).toMatchObject([{ providerScope: "acme", models: null, rpmLimit: null }]);
        expect(await store.update(key.id, { tiers: [] }, 5)).toBe(true);
        expect(await store.find(key.id)).toMatchObject([{ providerScope: "acme", tiers: [], version: 6 }]);
        expect(await store.update(key.id, { tiers: null }, 6)).toBe(true);
        expect(await store.find(key.id)).toMatchObject([{ tiers: null, regions: null, version: 7 }]);
        await store.changeStatus(key.id, { from: ["active"], to: "revoked" });
        expect(await store.update(key.id, { label: "after" }, null)).toBe(false);
      });

      test("a new secret lets the old ones live as long as the overlap, and never longer than they had [KEY-21] [KEY-22]", async () => {
        const key = newKey();
        await store.insert(key);
        const second = { digest: digestOf(`second ${key.id}`), prefix: "tgc_fff_two", overlapMs: 60_000 };
        const third = { digest: digestOf(`third ${key.id}`), prefix: "tgc_fff_thr", overlapMs: 3_600_000 };

        expect(await store.addSecret(key.id, second)).toBe(true);
        const first = await findByDigest(key.secretDigest);
        expect(await store.addSecret(key.id, third)).toBe(true);

        expect((first?.secretExpiresAtMs ?? 0) - Date.now()).toBeGreaterThan(30_000);
        expect(await findByDigest(key.secretDigest)).toMatchObject({
          id: key.id,
          secretExpiresAtMs: first?.secretExpiresAtMs,
        });
        expect(await findByDigest(second.digest)).toMatchObject({ id: key.id });
        expect(await findByDigest(third.digest)).toMatchObject({ id: key.id, secretExpiresAtMs: null });
        expect((await store.secrets(key.id)).map(({ prefix }) => prefix)).toEqual([
          "tgc_fff_thr",
          "tgc_fff_two",
          key.prefix,
        ]);
      });

      test("an overlap of nothing ends the old secrets at once, and copies of the key are stale [KEY-23]", async () => {
        const key = newKey();
        await store.insert(key);
        const next = { digest: digestOf(`next ${key.id}`), prefix: "tgc_fff_nxt", overlapMs: 0 };

        expect(await store.addSecret(key.id, next)).toBe(true);

        expect(await findByDigest(key.secretDigest)).toBeNull();
        expect(await findByDigest(next.digest)).toMatchObject({ id: key.id, version: 2 });
        await store.changeStatus(key.id, { from: ["active"], to: "revoked" });
        expect(await store.addSecret(key.id, { ...next, digest: digestOf(`last ${key.id}`) })).toBe(false);
      });

      test("every change of a key or of its secrets is announced, and a withdrawn secret makes copies of the key stale", async () => {
        const heard: string[] = [];
        const { promise: settled, resolve } = Promise.withResolvers<void>();
        const subscription = await database.listen(["tollgate_keys"], {
          notified: (_channel, id) => (id === "settled" ? resolve() : heard.push(id)),
          refresh: () => undefined,
        });
        const key = newKey();

        await store.insert(key);
        await database.query("update key set rpm_limit = 5 where id = $1", [key.id]);
        await database.query("update key_secret set withdrawn_at = now() where key_id = $1", [key.id]);
        await database.query("select pg_notify('tollgate_keys', 'settled')");
        await settled;
        await subscription.close();

        expect(heard).toEqual([key.id, key.id, key.id]);
        expect(await store.find(key.id)).toMatchObject([{ version: 3, rpmLimit: 5 }]);
      });

      test("what a key cannot be, the database refuses", async () => {
        const impossible: Partial<NewKey>[] = [
          { bucket: 4096 },
          { bucket: -1 },
          { rpmLimit: 0 },
          { secretDigest: Buffer.alloc(31) },
          { mode: "free" as NewKey["mode"] },
        ];
        for (const fields of impossible) {
          await expect(store.insert(newKey(fields))).rejects.toMatchObject({ code: "23514" });
        }
      });
    },
  );
}
