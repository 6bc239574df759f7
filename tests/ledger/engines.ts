import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPglite } from "../../src/db/pglite/pglite.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import type { Database } from "../../src/db/database.ts";
import { cases } from "../support/cases.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { givenBinaries } from "../support/postgres-binaries.ts";
import { takeClock } from "./database-target.ts";

export type Engine = {
  name: string;
  /** Why it cannot be used here; null when it can. */
  reason: string | null;
  open: (as?: "owner" | "tamperer") => Promise<{ database: Database; close: () => Promise<void> }>;
  /** How many sequences it is given. */
  runs: number;
};

const limits = { poolSize: 6, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };

/** A server that the run names stands for both. */
const VERSIONS = givenBinaries() === null ? (["15", "newest"] as const) : (["15"] as const);

export const SERVERS: Engine[] = VERSIONS.map((version) => ({
  name: `PostgreSQL ${version}`,
  reason: whyUnavailable(version),
  open: async (as = "owner") => {
    const fresh = await freshDatabase({ version });
    const database = createPostgres({ url: as === "owner" ? fresh.url : fresh.tampererUrl, ...limits });
    await takeClock(database);
    return {
      database,
      close: async () => {
        await database.close();
        await fresh.close();
      },
    };
  },
  runs: version === "15" ? cases({ gate: 15, long: 50 }) : cases({ gate: 8, long: 50 }),
}));

const pglite: Engine = {
  name: "PGlite",
  reason: null,
  open: async () => {
    const database = await createPglite({ dataFolder: null });
    await migrate(database, { folder: schemaFolder() });
    await takeClock(database);
    return { database, close: () => database.close() };
  },
  runs: cases({ gate: 5, long: 20 }),
};

export const ENGINES: Engine[] = [...SERVERS, pglite];

const [server] = SERVERS;

/** The model, which has no database, and a server, for the same examples on both: neither may explain away what the other does. */
export const MODEL_AND_SERVER = [
  { name: "the model", open: async () => ({ database: null, close: async () => undefined }), reason: null },
  {
    name: server?.name ?? "",
    open: server?.open ?? (() => Promise.reject(new Error("no server"))),
    reason: server?.reason ?? null,
  },
];
