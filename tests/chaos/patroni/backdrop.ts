import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { type Ran, runTollgate } from "../../support/run-tollgate.ts";
import { startSimulatorProcess } from "../../support/simulator-process.ts";
import { createProviderWitness, type ProviderWitness } from "../ledger/provider-witness.ts";
import { stageCatalogue } from "../ledger/stage-catalogue.ts";
import type { Cluster } from "./cluster.ts";
import { insist } from "./insist.ts";
import type { Keeper } from "./part.ts";
import type { RouteName, Site } from "./site.ts";

/** What every scenario of a run shares: the provider, and a database with its models that the others are copied from. */
export type Backdrop = {
  folder: string;
  /** Of gateways, without their database. */
  environment: Record<string, string>;
  witness: ProviderWitness;
  /** An empty set of books. */
  createBooks: (database: string) => Promise<void>;
  /** Runs a command as an operator at a site would. */
  tollgate: (words: readonly string[], at: { route: RouteName; database: string }) => Promise<Ran>;
  close: () => Promise<void>;
};

const ADMIN_TOKEN = "an-admin-token-for-chaos";
const PROVIDER_KEY = "sk-provider-key-for-chaos-0123456789";
const TEMPLATE = "tollgate_template";
/** Streams that end while the servers are without a leader, and streams that outlast that. */
const MODELS = { brief: "sim+tokens=160+rate=20", lasting: "sim+tokens=900+rate=20" };
/** Of commands alone; the gateways have the defaults. */
const PATIENT = { TOLLGATE_DATABASE_CONNECT_TIMEOUT_MS: "30000" };

export async function startBackdrop(options: { cluster: Cluster; site: Site; keeper: Keeper }): Promise<Backdrop> {
  const { cluster, site, keeper } = options;
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-chaos-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const simulator = parts.adopt(await startSimulatorProcess(), async (it) => void (await it.stop()));
  keeper.add(simulator.pid);
  rememberSecrets([ADMIN_TOKEN, PROVIDER_KEY]);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    STAGE_PROVIDER_KEY: PROVIDER_KEY,
  };
  const catalogue = stageCatalogue({ simulatorUrl: simulator.url, deafUrl: simulator.url, extraModels: MODELS });
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogue));
  const tollgate: Backdrop["tollgate"] = (words, { route, database }) =>
    runTollgate(words, { cwd: folder, env: { ...environment, ...PATIENT, ...site.environment(route, database) } });

  await cluster.createDatabase({ name: TEMPLATE });
  for (const words of [["migrate"], ["catalogue", "apply", "catalogue.json"]]) {
    await insist(async () => {
      const ran = await tollgate(words, { route: "host list", database: TEMPLATE });
      if (ran.code !== 0) throw new Error(`${words.join(" ")}: ${ran.stderr}`);
    });
  }
  const witness = await createProviderWitness(simulator);
  const kept = parts.move();
  return {
    folder,
    environment,
    witness,
    createBooks: (name) => cluster.createDatabase({ name, template: TEMPLATE }),
    tollgate,
    close: () => kept.disposeAsync(),
  };
}
