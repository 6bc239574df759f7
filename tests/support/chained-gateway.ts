import type { Unit } from "../../src/core/money/amount.ts";
import { createId } from "../../src/core/ids.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import type { Database } from "../../src/db/database.ts";
import { createKeyStore } from "../../src/keys/key-store.ts";
import { createSecret, digestOf } from "../../src/keys/secret.ts";
import { type GatewayProcess, rememberSecrets } from "./gateway-process.ts";
import { serveCatalogue } from "./serve-catalogue.ts";
import { type ServeProcess, startServeProcess } from "./serve-process.ts";

const ADMIN_TOKEN = "an-admin-token-for-chained-keys";
const BUCKET = 7;
export const CREDIT = 1_000_000_000n;

type Limit = { unit?: Unit; amount: bigint; models?: string[] };

export type ChainedGateway = {
  gateway: GatewayProcess;
  /** A new account, at the top or below another. */
  account: (name: string, parent?: string) => Promise<string>;
  /** What an account may spend in a month, as a counter. */
  limit: (account: string, limit: Limit) => Promise<number>;
  /** A purse of an account with so much in it. */
  purse: (account: string, amount: bigint) => Promise<number>;
  key: (account: string, mode?: KeyMode) => Promise<string>;
  setStatus: (account: string, status: "active" | "suspended") => Promise<void>;
  /** What was charged to a counter. */
  usedOf: (counter: number) => Promise<bigint>;
  /** Reads rows as they are stored. */
  query: Database["query"];
  transaction: Database["transaction"];
  /** What the process has written to its log. */
  output: () => string;
  process: ServeProcess;
  /** One more process on the same database. */
  startAnother: (settings?: Record<string, string>) => Promise<ServeProcess>;
  stop: () => Promise<void>;
};

/** A gateway on PostgreSQL with accounts above its keys. Every token of its models costs a thousandth of a credit. */
export async function startChainedGateway(settings: Record<string, string> = {}): Promise<ChainedGateway> {
  const { served, database, folder, environment, stop } = await serveCatalogue({
    adminToken: ADMIN_TOKEN,
    catalogueAt,
    settings,
  });
  const others: ServeProcess[] = [];
  return {
    gateway: { publicUrl: served.url, adminUrl: served.adminUrl, adminToken: ADMIN_TOKEN } as GatewayProcess,
    ...treeIn(database),
    query: database.query,
    transaction: database.transaction,
    output: served.output,
    process: served,
    startAnother: async (more = {}) => {
      const another = await startServeProcess({ folder, environment: { ...environment, ...more } });
      others.push(another);
      return another;
    },
    stop: async () => {
      await Promise.all(others.map((another) => another.stop()));
      await stop();
    },
  };
}

/** The structure as operators change it, by the functions of the database. */
function treeIn(
  database: Database,
): Pick<ChainedGateway, "account" | "limit" | "purse" | "key" | "setStatus" | "usedOf"> {
  const store = createKeyStore(database);
  const changed = async (call: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await database.query<{ result: string; counter: number | null }>(`select * from ${call}`, values);
    if (row?.result !== "done") throw new Error(`${call}: ${row?.result}`);
    return row.counter ?? 0;
  };
  const open = "counter_open_v1($1, null, $2, $3, $4, $5, $6, 'test')";
  return {
    account: async (name, parent) => {
      const id = createId(Date.now());
      await changed("account_open_v1($1, $2, $3, 'team', $4)", [id, parent ?? null, name, BUCKET]);
      return id;
    },
    limit: (account, { unit = "credit", amount, models }) =>
      changed(open, [account, "limit", unit, amount, "month", models ?? null]),
    purse: async (account, amount) => {
      const counter = await changed(open, [account, "purse", "credit", 0n, "none", null]);
      await database.query("select fund_v1($1, $2, 'purchase', $3, 'test')", [counter, `p ${counter}`, amount]);
      return counter;
    },
    key: async (accountId, mode = "credit") => {
      const { secret, prefix } = createSecret(mode, BUCKET);
      rememberSecrets([secret]);
      await store.insert({
        id: createId(Date.now()),
        bucket: BUCKET,
        mode,
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
      return secret;
    },
    setStatus: async (account, status) => void (await changed("account_status_v1($1, $2)", [account, status])),
    usedOf: async (counter) =>
      (await database.query<{ used: bigint }>("select used from counter_anywhere where id = $1", [counter]))[0]?.used ??
      -1n,
  };
}

const PRICE = { input: "1000", output: "1000" };

const catalogueAt = (simulatorUrl: string) => ({
  providers: [{ name: "acme", base_url: `${simulatorUrl}/v1`, credential: "env:PROVIDER_KEY" }],
  models: [
    ...["chat", "responses", "messages"].flatMap((format) => [
      model(format, "sim+tokens=10", format, PRICE),
      model(`endless-${format}`, "sim+tokens=100000+rate=50", format, PRICE),
    ]),
    model("gpt-dear", "sim+tokens=10", "chat", PRICE),
    model("free", "sim+tokens=10", "chat", null),
  ],
});

const model = (id: string, upstream: string, format: string, price: object | null) => ({
  id,
  provider: "acme",
  context_window: 128_000,
  max_output_tokens: 100_000,
  ...(price === null ? {} : { price }),
  routes: [{ provider: "acme", upstream_model: upstream, format }],
});
