import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerFailureOf } from "../../ledger/turn/ledger-store.ts";
import { troubleOf } from "../trouble.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import { connectionLost, DatabaseBusyError } from "../database-error.ts";
import type { Database } from "../database.ts";
import { createPostgres, type PostgresOptions } from "./postgres.ts";

const reason = whyUnavailable("15");
/** A limit that a test waits for, and within which a busy machine opens a connection and answers what is easy. */
const A_WHILE_MS = 1_500;

describe.skipIf(reason !== null)(`connections to PostgreSQL${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let fresh: FreshDatabase;
  let operator: Database;
  const errors: Error[] = [];
  const connect = (options: Partial<PostgresOptions> = {}): Database =>
    createPostgres({
      url: fresh.url,
      poolSize: 2,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 5_000,
      onError: (error) => errors.push(error),
      ...options,
    });
  beforeAll(async () => {
    fresh = await freshDatabase({ migrated: false });
    operator = connect();
  });
  afterAll(async () => {
    await operator?.close();
    await fresh?.close();
  });

  const backendOf = async (database: Database): Promise<number> => {
    const [row] = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
    return row?.pid ?? 0;
  };

  test("connections say who they are", async () => {
    expect(await operator.query("show application_name")).toEqual([{ application_name: "tollgate" }]);
  });

  test("tells how long each caller waited for a connection, also in vain, and nothing of one who was refused at once", async () => {
    const waits: number[] = [];
    const database = connect({
      poolSize: 1,
      waitingLimit: 1,
      connectTimeoutMs: A_WHILE_MS,
      waits: { elapsedMs: () => performance.now(), waited: (ms) => waits.push(ms) },
    });
    await database.transaction(async () => {
      const inVain = database.query("select 1");
      await new Promise((resolve) => setImmediate(resolve));
      await expect(database.query("select 2")).rejects.toBeInstanceOf(DatabaseBusyError);
      await expect(inVain).rejects.toBeInstanceOf(DatabaseBusyError);
    });
    await database.close();

    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThanOrEqual(A_WHILE_MS - 50);
  });

  test("a connection killed while idle is reported and replaced, and the process lives", async () => {
    const { promise: reported, resolve } = Promise.withResolvers<Error>();
    const database = connect({ onError: resolve });
    const pid = await backendOf(database);

    await operator.query("select pg_terminate_backend($1)", [pid]);
    await reported;

    expect(await backendOf(database)).not.toBe(pid);
    await database.close();
  });

  test("a connection killed inside a transaction fails the transaction, and the next one works", async () => {
    const database = connect();
    const work = database.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
      await operator.query("select pg_terminate_backend($1)", [row?.pid]);
      await tx.query("select 1");
    });

    await expect(work).rejects.toThrow();
    expect(await database.query("select 1 as one")).toEqual([{ one: 1 }]);
    await database.close();
  });

  test("a statement that takes too long is stopped by the server", async () => {
    const database = connect({ statementTimeoutMs: A_WHILE_MS });

    await expect(database.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "57014" });
    await database.close();
  });

  test("a server that stops answering is given up on, and the next statement has a new connection", async (context) => {
    context.skip(process.env["DATABASE_URL"] !== undefined, "a server that is not ours cannot be frozen");
    const database = connect({ statementTimeoutMs: A_WHILE_MS });
    const pid = await backendOf(database);
    process.kill(pid, "SIGSTOP");
    try {
      await expect(database.query("select 1")).rejects.toThrow("Query read timeout");
      expect(await backendOf(database)).not.toBe(pid);
    } finally {
      process.kill(pid, "SIGCONT");
      await database.close();
    }
  });

  // A server that is not ours cannot be frozen.
  const freezable = process.env["DATABASE_URL"] === undefined;
  test.skipIf(!freezable).each(["before its first statement", "between two statements"])(
    "a transaction whose server stops answering %s is given up on like any statement",
    async (moment) => {
      const database = connect({ statementTimeoutMs: A_WHILE_MS, poolSize: 1 });
      const pid = await backendOf(database);
      const freeze = (): boolean => process.kill(pid, "SIGSTOP");
      try {
        if (moment === "before its first statement") freeze();
        const work = database.transaction(async (tx) => {
          await tx.query("select 1");
          freeze();
          await tx.query("select 1");
        });

        await expect(work).rejects.toThrow("Query read timeout");
        expect(await backendOf(database)).not.toBe(pid);
      } finally {
        process.kill(pid, "SIGCONT");
        await database.close();
      }
    },
  );

  test("a caller that finds every connection in use is refused after the connect timeout", async () => {
    const database = connect({ poolSize: 1, connectTimeoutMs: A_WHILE_MS });
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const { promise: holding, resolve: hasIt } = Promise.withResolvers<void>();
    const holder = database.transaction(async (tx) => {
      await tx.query("select 1");
      hasIt();
      await held;
    });
    await Promise.race([holding, holder]);

    await expect(database.query("select 1")).rejects.toThrow(DatabaseBusyError);
    resolve();
    await holder;
    await database.close();
  });

  test("a hundred may wait per connection, and one more is refused at once", async () => {
    const database = connect({ poolSize: 1 });
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const { promise: holding, resolve: hasIt } = Promise.withResolvers<void>();
    const holder = database.transaction(async () => {
      hasIt();
      await held;
    });
    await holding;
    const crowd = Array.from({ length: 100 }, () => database.query("select 1"));
    await new Promise((resolved) => setImmediate(resolved));

    await expect(database.query("select 1")).rejects.toThrow("100 callers already wait");
    resolve();
    await Promise.all([holder, ...crowd]);
    await database.close();
  });

  test("a listener whose connection is killed comes back, is told to refresh, and hears again", async () => {
    const database = connect({ random: () => 0 });
    const refreshed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    let refreshes = 0;
    await database.listen(["news"], {
      notified: (_channel, payload) => resolve(payload),
      refresh: () => refreshed[refreshes++]?.resolve(),
    });
    await refreshed[0]?.promise;

    const killed = await operator.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen \"news\"' and datname = current_database()",
    );
    expect(killed).toHaveLength(1);
    await refreshed[1]?.promise;
    await operator.query("select pg_notify('news', 'after')");

    expect(await heard).toBe("after");
    expect(refreshes).toBe(2);
    await database.close();
  });

  test("a closed subscription leaves no connection behind and does not come back", async () => {
    const database = connect();
    const subscription = await database.listen(["gone"], { notified: () => undefined, refresh: () => undefined });

    await subscription.close();
    await database.close();

    const left = "select 1 from pg_stat_activity where query = 'listen \"gone\"' and state is not null";
    await expect.poll(() => operator.query(left), { interval: 20 }).toEqual([]);
  });

  test("a server that is not there is refused with the reason, by query, ping and listen alike", async () => {
    const database = connect({ url: "postgres://nobody@127.0.0.1:1/none" });
    const listener = { notified: () => undefined, refresh: () => undefined };

    const attempts = [() => database.query("select 1"), () => database.ping(), () => database.listen(["x"], listener)];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await database.close();
  });

  test.each([
    ["a role that is not let in", { username: "nobody_here" }, "the database rejects the role or its password"],
    ["a database that is not there", { pathname: "/nowhere" }, "the database named in database.url does not exist"],
    ["TLS that the server does not speak", { search: "?sslmode=require" }, "calls to the ledger fail"],
  ])("whatever keeps a connection from being made is an outage and no defect: %s", async (_name, part, words) => {
    const database = connect({ url: Object.assign(new URL(fresh.url), part).href });

    const error: unknown = await database.query("select 1").catch((caught: unknown) => caught);
    await database.close();

    expect(connectionLost(error)).toBe(true);
    expect(ledgerFailureOf(error)).toBe("lost");
    expect(troubleOf(error).words).toBe(words);
  });
});
