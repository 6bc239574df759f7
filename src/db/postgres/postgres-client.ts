import { Client, type ClientConfig, type CustomTypesConfig } from "pg";
import type { Queryable } from "../database.ts";
import { decoderOf } from "../decode-value.ts";
import { encodeValue } from "../encode-value.ts";
import type { Leader, Primary } from "../line/primary.ts";
import { IS_BOOKED, readStanding, SUPERSEDE } from "../line/line-store.ts";
import type { Standing } from "../line/server-line.ts";

type Limits = {
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** As the server lists its sessions; `tollgate` unless told. */
  applicationName?: string;
};

/** A pooled connection that knows since when its server was believed to be the primary. */
export type PrimaryClient = Client & {
  readonly generation: number;
  /** Whether it leads to the server itself, and not to a pooler. */
  isDirect: boolean;
  release: (destroy?: boolean) => void;
};

/** The server stops a slow statement itself; this much later we stop believing that the server is there. */
const STALL_GRACE_MS = 2_000;
/** The longest a timer can be set for: a migration takes as long as it takes. */
const UNLIMITED_MS = 2 ** 31 - 1;
const KEEPALIVE_DELAY_MS = 10_000;

/** Everything but the address. */
export function clientSettings(limits: Limits): ClientConfig {
  return {
    application_name: limits.applicationName ?? "tollgate",
    connectionTimeoutMillis: limits.connectTimeoutMs,
    query_timeout: limits.statementTimeoutMs + STALL_GRACE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    types: { getTypeParser: decoderOf as CustomTypesConfig["getTypeParser"] },
  };
}

/** The pool makes connections itself; this class tells it where to. */
export function createClientClass(primary: Primary) {
  return class extends Client {
    readonly generation = primary.generation();
    isDirect = false;

    constructor(settings?: ClientConfig) {
      super({ ...settings, connectionString: primary.url() });
      // A connection that ends says so to the statement that waits on it, and to the pool. The event alone, at a moment when
      // neither listens, as between its making and its first use, would stop the process.
      this.on("error", () => undefined);
    }
  };
}

/** Always the extended protocol, which carries exactly one statement, values or not. With a name, the connection remembers it. */
export async function send<Row>(
  client: Client,
  sql: string,
  values: readonly unknown[] = [],
  name: string | null = null,
): Promise<Row[]> {
  const statement = { text: sql, values: values.map(encodeValue), queryMode: "extended", ...(name && { name }) };
  const { rows } = await client.query(statement);
  return rows as Row[];
}

/** A pooler makes up the process id that a client is told when it connects, since its sessions have no process of their own. */
export function isPooled(client: Client, pid: number): boolean {
  const process = processOf(client);
  return process !== null && process !== pid;
}

/** The process id that a client was told when it connected. */
export const processOf = (client: Client): number | null =>
  (client as unknown as { processID: number | null }).processID;

export async function sendScript(client: Client, sql: string): Promise<void> {
  const script = { text: sql, query_timeout: UNLIMITED_MS };
  await client.query(script);
}

/** Asks one server, on a connection of its own, whether it takes writes, and which it is; null for a standby. */
export function askServer(url: string, limits: Limits): Promise<Leader | null> {
  return onOwnConnection(url, limits, async (query) => {
    const [row] = await query<{ standby: boolean; startedAt: Date; booked: boolean }>(
      `select pg_is_in_recovery() as standby, pg_postmaster_start_time() as "startedAt", ${IS_BOOKED} as booked`,
    );
    if (row?.standby !== false) return null;
    return { standing: await readStanding(query, row.booked), startedAtMs: row.startedAt.getTime() };
  });
}

/** Tells one server that another one, on a higher timeline, has the books. */
export async function supersedeServer(url: string, by: Standing, limits: Limits): Promise<void> {
  await onOwnConnection(url, limits, (query) => query(SUPERSEDE, [by.identifier, by.timeline]));
}

async function onOwnConnection<T>(
  url: string,
  limits: Limits,
  work: (query: Queryable["query"]) => Promise<T>,
): Promise<T> {
  const client = new Client({
    ...clientSettings(limits),
    connectionString: url,
    query_timeout: limits.connectTimeoutMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work((sql, values) => send(client, sql, values));
  } finally {
    await client.end().catch(() => undefined);
  }
}
