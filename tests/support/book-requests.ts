import { createId } from "../../src/core/ids.ts";
import { NO_USAGE } from "../../src/core/usage.ts";
import { createPostgres } from "../../src/db/postgres.ts";
import { createLedgerStore } from "../../src/ledger/ledger-store.ts";
import { NOTHING_BORNE } from "./nothing-borne.ts";

/** Books requests of a key as a gateway would: some finished, each for a millicredit, and one that is still open. */
export async function bookRequests(url: string, keyId: string, finished: number): Promise<void> {
  const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };
  const database = createPostgres({ url, ...limits });
  try {
    const ledger = createLedgerStore(database);
    const ids = Array.from({ length: finished + 1 }, () => createId(Date.now()));
    const ask = {
      bucket: 7,
      keyVersion: 1,
      rpmLimit: null,
      unlimited: false,
      model: "m",
      priceVersion: 1,
      claim: null,
    };
    const amounts = { least: 1n, most: 2_000_000n, lifetimeMs: 600_000 };
    await ledger.admit(
      createId(Date.now()),
      ids.map((id) => ({ ...ask, ...amounts, id, keyId })),
    );
    const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    const end = {
      outcome: "completed",
      charge: 1_000_000n,
      usage,
      contentDelivered: true,
      answer: null,
      bucket: 7,
      ...NOTHING_BORNE,
    } as const;
    await ledger.settle(ids.slice(1).map((id) => ({ ...end, record, id, keyId })));
  } finally {
    await database.close();
  }
}
