import { createId } from "../../src/core/ids.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, endOf, readLoneKey } from "./lone-key.ts";

/** Books requests of a key as a gateway would: some finished, each for a millicredit, and one that is still open. */
export async function bookRequests(url: string, keyId: string, finished: number): Promise<void> {
  const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };
  const database = createPostgres({ url, ...limits });
  try {
    const ledger = createLedgerStore(database);
    const key = await readLoneKey(database, keyId);
    const asks = Array.from({ length: finished + 1 }, () => askOf(key, { most: 2_000_000n, lifetimeMs: 600_000 }));
    await ledger.admit(createId(Date.now()), asks);
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    await ledger.settle(asks.slice(1).map((ask) => endOf(ask, { price: 1_000_000n, record })));
  } finally {
    await database.close();
  }
}
