import type { Transaction } from "./database.ts";

/** One connection that nobody else uses meanwhile. */
export type Connection = Transaction & {
  /** Marks the connection unusable: its state is unknown. */
  discard: () => void;
};

/**
 * Runs `work` between `begin` and `commit`. A statement that failed dooms the transaction even if `work` swallowed the
 * error: PostgreSQL would answer `commit` with a rollback and report success.
 */
export async function runTransaction<T>(connection: Connection, work: (tx: Transaction) => Promise<T>): Promise<T> {
  // Read committed whatever the server's default: code that locks and then reads relies on a fresh snapshot. A query and not a
  // script, here and for the rollback: a script is waited for without end, and the server may be gone.
  await connection.query("begin isolation level read committed");
  const guard = createGuard(connection);
  try {
    const result = await work(guard.tx);
    await guard.finish();
    await connection.script("commit");
    return result;
  } catch (error) {
    await guard.finish().catch(() => undefined);
    await connection.query("rollback").catch(connection.discard);
    throw error;
  }
}

/** Sends statements one after the other, remembers the first failure, and refuses statements that come too late. */
function createGuard(connection: Connection) {
  let open = true;
  let failure: { error: unknown } | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const inOrder = <T>(send: () => Promise<T>): Promise<T> => {
    if (!open) return Promise.reject(new Error("the transaction is over: a statement was not awaited inside it"));
    const turn = last.then(send);
    last = turn.catch((error: unknown) => {
      failure ??= { error };
    });
    return turn;
  };

  return {
    tx: {
      query: <Row>(sql: string, values?: readonly unknown[]) => inOrder(() => connection.query<Row>(sql, values)),
      script: (sql: string) => inOrder(() => connection.script(sql)),
    } satisfies Transaction,
    finish: async () => {
      open = false;
      await last;
      if (failure) throw failure.error;
    },
  };
}
