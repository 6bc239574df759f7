import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { childEnvironment } from "./child-environment.ts";
import { rememberSecrets } from "./gateway-process.ts";
import { freshDatabase } from "./postgres.ts";
import { runTollgate } from "./run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "./serve-process.ts";
import { startSimulatorProcess } from "./simulator-process.ts";

export type ServedCatalogue = {
  served: ServeProcess;
  database: Database;
  databaseUrl: string;
  folder: string;
  environment: Record<string, string>;
  stop: () => Promise<void>;
};

type Options = {
  adminToken: string;
  /** The catalogue, whose providers have the credential `env:PROVIDER_KEY`. */
  catalogueAt: (simulatorUrl: string) => object;
  settings: Record<string, string>;
};

/** `tollgate serve` on a PostgreSQL of its own, with a catalogue of simulated providers. */
export async function serveCatalogue({ adminToken, catalogueAt, settings }: Options): Promise<ServedCatalogue> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-served-"));
  const [fresh, simulator] = await Promise.all([freshDatabase(), startSimulatorProcess()]);
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: fresh.url,
    TOLLGATE_ADMIN_TOKEN: adminToken,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    // Without a word: the search for leaked pieces of it must not find the name of a file.
    PROVIDER_KEY: `sk-${randomBytes(18).toString("hex")}`,
    ...settings,
  };
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogueAt(simulator.url)));
  const applied = await runTollgate(["catalogue", "apply", "catalogue.json"], { cwd: folder, env: environment });
  if (applied.code !== 0) throw new Error(applied.stderr);
  const served = await startServeProcess({ folder, environment });
  const database = createPostgres({
    url: fresh.url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
    onError: () => undefined,
  });
  rememberSecrets([adminToken, environment.PROVIDER_KEY]);
  return {
    served,
    database,
    databaseUrl: fresh.url,
    folder,
    environment,
    stop: async () => {
      await served.stop();
      await Promise.all([database.close(), simulator.stop()]);
      await fresh.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
