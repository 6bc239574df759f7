import type { ServerFacts } from "../core/server-facts.ts";

/**
 * A bound value that the database fills in: the mark of the line of servers that this process follows, or null where there is
 * none. Calls that move money name it, so that they happen on the server that has the books and nowhere else.
 */
export const LINE = Symbol("line");

/**
 * Runs one statement with bound values. The same SQL, values and answers on every implementation: int8 comes back as
 * bigint, timestamptz as Date, bytea as Buffer, json as parsed, numeric as text (see `decode-value.ts`).
 */
export type Queryable = {
  query: <Row>(sql: string, values?: readonly unknown[], how?: How) => Promise<Row[]>;
};

/** `prepared`: sent so often that it is worth parsing and planning once per connection, where that is possible. */
export type How = { prepared: boolean };

export const PREPARED: How = { prepared: true };

/** One connection between `begin` and `commit`; refused once the transaction is over. */
export type Transaction = Queryable & {
  /** Runs several statements without values. The client sets no time limit: this is what migrations use. */
  script: (sql: string) => Promise<void>;
};

export type NotificationListener = {
  notified: (channel: string, payload: string) => void;
  /** Called after every connect, the first included: what was said while nobody listened is lost. */
  refresh: () => void;
  /**
   * Whether notifications arrive: told once it was found out, and whenever it has changed. While they do not, what is said is
   * lost, and the connection looks as if nothing were said.
   */
  hears?: (hears: boolean) => void;
};

export type Subscription = { close: () => Promise<void> };

/** Those of one pool: at most, open, open and unused, and how many callers wait for one. */
export type Connections = { most: number; open: number; idle: number; waiting: number };

/** A PostgreSQL, wherever it runs. */
export type Database = Queryable & {
  /** Commits when `work` resolves, rolls back when it rejects or when one of its statements failed. */
  transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Runs a script of several statements. */
  script: (sql: string) => Promise<void>;
  /** Hears NOTIFY. Resolves once the server is listening; from then on a lost connection is made again. */
  listen: (channels: readonly string[], listener: NotificationListener) => Promise<Subscription>;
  /** What the server says of itself; null where there is none, since the database runs inside this process. */
  inspect: () => Promise<ServerFacts | null>;
  /** How its connections are used now; null where there are none, since the database runs inside this process. */
  connections: () => Connections | null;
  /** Rejects when the server does not answer within two seconds. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};
