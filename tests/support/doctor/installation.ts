import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { createOperator } from "../../../src/app/create-operator.ts";
import { createReachProviders } from "../../../src/app/catalogue/create-reach-providers.ts";
import { openProviderCredentials } from "../../../src/app/catalogue/provider-credentials.ts";
import { messageOf } from "../../../src/cli/report-failure.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { lookAtServers } from "../../../src/db/line/look-at-servers.ts";
import { schemaFolder } from "../../../src/db/schema-files.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import type { CheckId } from "../../../src/doctor/check.ts";
import { CHECKS, checksLeadingTo } from "../../../src/doctor/checks.ts";
import { examine, type Report } from "../../../src/doctor/examine.ts";
import { readHost } from "../../../src/doctor/host.ts";
import type { Patient } from "../../../src/doctor/patient.ts";
import { type DocumentedRoles, startDocumentedRoles } from "../documented-roles.ts";

export const PROVIDER_KEY = "sk-for-tests-only";
export const ADMIN_TOKEN = "9f2c41d7a8b3e6059f2c41d7a8b3e605-Qx";
export const GIBIBYTE = 1_073_741_824;

type Means = { folder: string; superuser: Client };

/** How an installation differs from a healthy one, for one examination. */
export type Change = {
  url?: (roles: DocumentedRoles) => string;
  environment?: Record<string, string>;
  patient?: (healthy: Patient, means: Means) => Partial<Patient> | Promise<Partial<Patient>>;
};

export type Installation = Means & {
  roles: DocumentedRoles;
  run: (statements?: readonly string[]) => Promise<void>;
  /** With `only`, that check and those it comes after. */
  examine: (change: Change, only?: CheckId) => Promise<Report>;
  close: () => Promise<void>;
};

/** A real server with the documented roles, a catalogue, and a provider that answers whoever has its key. */
export async function startInstallation(): Promise<Installation> {
  const roles = await startDocumentedRoles({ durable: true });
  const superuser = new Client({ connectionString: roles.url("postgres") });
  await superuser.connect();
  const provider = createServer((request, response) => {
    response.statusCode = request.headers.authorization === `Bearer ${PROVIDER_KEY}` ? 200 : 401;
    response.end("{}");
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "tollgate-doctor-"));
  const run = async (statements: readonly string[] = []): Promise<void> => {
    for (const sql of statements) await superuser.query(sql);
  };
  await run(contents(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`));
  return {
    roles,
    superuser,
    folder,
    run,
    examine: (change, only) => examineChanged({ roles, superuser, folder }, change, only),
    close: async () => {
      await superuser.end();
      provider.close();
      rmSync(folder, { recursive: true, force: true });
      await roles.cluster.close();
    },
  };
}

const contents = (baseUrl: string): string[] => [
  ...[0, 1, 2].map((days) => `select partition_v1(((now() at time zone 'UTC') + interval '${days} days')::date)`),
  `insert into provider (name, base_url, credential_ref) values ('acme', '${baseUrl}', 'env:ACME_KEY')`,
  "insert into model (id, owned_by, provider, max_output_tokens) values ('large', 'acme', 'acme', 100)",
  "insert into route (model_id, provider, upstream_model, dialect) values ('large', 'acme', 'large-1', 'chat')",
  `insert into price (model_id, version, effective_from, input_nano, output_nano)
   values ('large', 1, now() - interval '1 day', 1, 1)`,
];

async function examineChanged(
  means: Means & { roles: DocumentedRoles },
  { url: urlOf = (all) => all.url("tollgate"), environment = {}, patient }: Change,
  only: CheckId | undefined,
): Promise<Report> {
  const url = urlOf(means.roles);
  const variables = { DATABASE_URL: url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN, ...environment };
  const { config } = loadConfig({ environment: variables, readFile: noFile });
  const { connectTimeoutMs, statementTimeoutMs } = config.database;
  const database = createPostgres({
    url,
    poolSize: 2,
    connectTimeoutMs,
    statementTimeoutMs,
    onError: () => undefined,
    strangers: "read",
  });
  const credentials = openProviderCredentials(config.credential, { ACME_KEY: PROVIDER_KEY, ...environment });
  const events = { catalogueChanged: () => undefined } as never;
  const operator = createOperator({ database, credentials, events, clock: systemClock, acceptForeign: "off" });
  const healthy: Patient = {
    host: {
      ...readHost(),
      nodeVersion: "26.1.0",
      processors: 8,
      openFiles: 1_048_576,
      memoryBytes: 8 * GIBIBYTE,
      spaceOf: () => ({ freeBytes: 50 * GIBIBYTE, totalBytes: 100 * GIBIBYTE }),
    },
    workers: 2,
    config,
    settingsProblem: null,
    settingsFile: null,
    secretFiles: [],
    isDev: false,
    lookAtServers: () => lookAtServers(url, config.database),
    database,
    schemaFolder: schemaFolder(),
    listModels: async () => (await operator.catalogue.listModels({ limit: 100, after: null })).data,
    reachProviders: createReachProviders({ database, credentials, fetch }),
    askGateway: async () => ({ status: "ok", reasons: [] }),
    wayIn: null,
    silenceMs: 0,
    explain: messageOf,
    nowMs: Date.now,
  };
  try {
    const changed = { ...healthy, ...(await patient?.(healthy, means)) };
    return await examine({ checks: only ? checksLeadingTo(only) : CHECKS, patient: changed, onStep: () => undefined });
  } finally {
    await database.close();
  }
}

const noFile = (): string => {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
};
