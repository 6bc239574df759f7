import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { sqlStateOf } from "./database-error.ts";
import type { Database } from "./database.ts";
import { createPglite } from "./pglite/pglite.ts";
import { createPostgres } from "./postgres/postgres.ts";

type Opened = { database: Database; close: () => Promise<void> };

const openPostgres = async (version: "15" | "newest"): Promise<Opened> => {
  const { url, close } = await freshDatabase({ version, migrated: false });
  const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 };
  const database = createPostgres({ url, ...limits, onError: () => undefined });
  return { database, close: () => database.close().then(close) };
};

const openPglite = async (): Promise<Opened> => {
  const database = await createPglite({ dataFolder: null });
  return { database, close: database.close };
};

const servers = [
  { name: "PostgreSQL 15", open: () => openPostgres("15"), reason: whyUnavailable("15") },
  { name: "PostgreSQL newest", open: () => openPostgres("newest"), reason: whyUnavailable("newest") },
  { name: "PGlite", open: openPglite, reason: null },
];

for (const { name, open, reason } of servers) {
  describe.skipIf(reason !== null)(reason === null ? name : `${name}: skipped, ${reason}`, () => {
    let opened: Opened;
    let database: Database;
    beforeAll(async () => {
      opened = await open();
      database = opened.database;
    });
    afterAll(() => opened?.close());
    beforeEach(() => database.script("drop table if exists note; create table note (id int primary key, text text)"));

    const notes = () => database.query<{ id: number; text: string }>("select * from note order by id");

    test("every type comes back as the one JavaScript type it was promised", async () => {
      const rows = await database.query(`
        select 9007199254740993::int8 as big, 7::int4 as small, 2::int2 as tiny, true as yes, 1.5::float8 as float,
               12345678901234567890.123456789::numeric as exact, '\\x00ff'::bytea as bytes, null::int8 as nothing,
               '{"a":[1,null]}'::jsonb as document, '2026-01-02 03:04:05.678+02'::timestamptz as instant,
               '2026-01-02'::date as day, '00000000-0000-7000-8000-000000000001'::uuid as id`);

      expect(rows).toEqual([
        {
          big: 9007199254740993n,
          small: 7,
          tiny: 2,
          yes: true,
          float: 1.5,
          exact: "12345678901234567890.123456789",
          bytes: Buffer.from([0, 255]),
          nothing: null,
          document: { a: [1, null] },
          instant: new Date("2026-01-02T01:04:05.678Z"),
          day: "2026-01-02",
          id: "00000000-0000-7000-8000-000000000001",
        },
      ]);
      expect(Buffer.isBuffer((rows[0] as { bytes: unknown }).bytes)).toBe(true);
    });

    test("arrays come back element by element, empty, nested and with nulls", async () => {
      const [row] = await database.query(`
        select '{9007199254740993,null}'::int8[] as bigs, array['a"b','c,\\d',null,'','NULL'] as texts,
               '{{1,2},{3,4}}'::int4[] as nested, '{}'::text[] as empty, array['\\x01'::bytea] as bytes`);

      expect(row).toEqual({
        bigs: [9007199254740993n, null],
        texts: ['a"b', String.raw`c,\d`, null, "", "NULL"],
        nested: [
          [1, 2],
          [3, 4],
        ],
        empty: [],
        bytes: [Buffer.from([1])],
      });
    });

    test("what is bound is what is read, whatever it contains", async () => {
      const hostile = `'; drop table note; -- "\\ {} \u{1F600} \n\t`;
      const values = [
        hostile,
        -9007199254740993n,
        Buffer.from([0, 39, 92, 255]),
        new Date(1_700_000_000_123),
        [hostile, null, "NULL", ""],
        [1n, null],
        { a: hostile },
        false,
        null,
      ];

      const [row] = await database.query<Record<string, unknown>>(
        `select $1::text a, $2::int8 b, $3::bytea c, $4::timestamptz d, $5::text[] e, $6::int8[] f, $7::jsonb g,
                $8::boolean h, $9::int4 i`,
        values,
      );

      expect(Object.values(row ?? {})).toEqual(values);
    });

    test("a value that SQL has no word for is refused before it is sent", async () => {
      await expect(database.query("select $1::text", [undefined])).rejects.toThrow("cannot be undefined");
    });

    test("a query carries exactly one statement", async () => {
      const error = await database.query("select 1; drop table note").catch((reason: unknown) => reason);

      expect(sqlStateOf(error)).toBe("42601");
      expect(await notes()).toEqual([]);
    });

    test("a refused statement names its SQLSTATE and constraint, and the next one works", async () => {
      await database.query("insert into note values (1, 'a')");

      const error = await database.query("insert into note values (1, 'b')").catch((reason: unknown) => reason);

      expect(sqlStateOf(error)).toBe("23505");
      expect(error).toMatchObject({ constraint: "note_pkey" });
      expect(await notes()).toEqual([{ id: 1, text: "a" }]);
    });

    test("a transaction is seen by others only when it has committed", async () => {
      const { promise: read, resolve: letRead } = Promise.withResolvers<void>();
      const transaction = database.transaction(async (tx) => {
        await tx.query("insert into note values (1, 'a')");
        letRead();
        await tx.query("insert into note values (2, 'b')");
        return "done";
      });
      await read;
      const seen = await notes();

      expect(await transaction).toBe("done");
      expect([0, 2]).toContain(seen.length);
      expect(await notes()).toHaveLength(2);
    });

    test("a transaction whose work fails leaves nothing behind and reports the failure", async () => {
      const work = database.transaction(async (tx) => {
        await tx.query("insert into note values (1, 'a')");
        throw new Error("changed my mind");
      });

      await expect(work).rejects.toThrow("changed my mind");
      expect(await notes()).toEqual([]);
    });

    test("a transaction with a failed statement never reports success, even when the failure was swallowed", async () => {
      const work = database.transaction(async (tx) => {
        await tx.query("insert into note values (1, 'a')");
        await tx.query("select 1 / 0").catch(() => undefined);
      });

      await expect(work).rejects.toMatchObject({ code: "22012" });
      expect(await notes()).toEqual([]);
    });

    test("a statement that comes after its transaction is refused", async () => {
      const late = await database.transaction(async (tx) => tx);

      await expect(late.query("insert into note values (1, 'a')")).rejects.toThrow("the transaction is over");
    });

    test("statements of one transaction sent together run in order", async () => {
      await database.transaction(async (tx) => {
        await Promise.all([1, 2, 3, 4, 5].map((id) => tx.query("insert into note values ($1, 'x')", [id])));
      });

      expect((await notes()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    });

    test("twenty transactions that count up one row lose no count", async () => {
      await database.query("insert into note values (1, '0')");

      await Promise.all(
        Array.from({ length: 20 }, () =>
          database.transaction(async (tx) => {
            const [row] = await tx.query<{ text: string }>("select text from note where id = 1 for update");
            await tx.query("update note set text = $1 where id = 1", [Number(row?.text) + 1]);
          }),
        ),
      );

      expect(await notes()).toEqual([{ id: 1, text: "20" }]);
    });

    test("a listener is told to refresh at once and hears what is committed on its channels, and only there", async () => {
      const heard: string[] = [];
      let refreshes = 0;
      const { promise: last, resolve } = Promise.withResolvers<void>();
      const subscription = await database.listen(["Mixed_Case", "plain"], {
        notified: (channel, payload) => {
          heard.push(`${channel}:${payload}`);
          if (payload === "last") resolve();
        },
        refresh: () => (refreshes += 1),
      });

      await database.transaction((tx) => tx.query("select pg_notify('Mixed_Case', 'a'), pg_notify('other', 'b')"));
      const refused = database.transaction(async (tx) => {
        await tx.query("select pg_notify('plain', 'rolled back')");
        throw new Error("no");
      });
      await expect(refused).rejects.toThrow("no");
      await database.query("select pg_notify('plain', 'last')");
      await last;
      await subscription.close();

      expect(heard).toEqual(["Mixed_Case:a", "plain:last"]);
      expect(refreshes).toBe(1);
    });

    test("a ping is answered", async () => {
      await expect(database.ping()).resolves.toBeUndefined();
    });
  });
}
