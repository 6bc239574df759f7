import type { Config } from "../../config/load-config.ts";
import { Fault } from "../../core/fault.ts";
import { type Health, wordOf } from "../../core/health.ts";
import type { Database } from "../../db/database.ts";
import { lookAtServers } from "../../db/line/look-at-servers.ts";
import { schemaFolder } from "../../db/schema-files.ts";
import { checksFor } from "../../doctor/checks.ts";
import { examine, type ReportedCheck } from "../../doctor/examine.ts";
import { readHost } from "../../doctor/host.ts";
import type { Patient } from "../../doctor/patient.ts";
import type { Operator } from "../../operator/operator.ts";
import { redact } from "../../telemetry/log/redact.ts";

type Parts = {
  config: Config;
  database: Database;
  settingsFile: string | null;
  secretFiles: readonly string[];
  workers: number;
  listModels: Operator["catalogue"]["listModels"];
  health: () => Health;
  nowMs: () => number;
};

/** What was found, and when. */
type Examination = { ok: boolean; atMs: number; checks: ReportedCheck[] };

const LONGEST_MS = 20_000;
const PAGE = 1_000;
/** Those that the process itself can run within moments. Providers are not called, and the proxy in front is not either. */
const ELSEWHERE = /^(?:proxy-|catalogue-(?:credentials|providers)$)/;

/**
 * The checks of `tollgate doctor` on the process that serves. Of several who ask at once, all get the same answer: it is one look, however
 * many look.
 */
export function createExamine(parts: Parts): () => Promise<Examination> {
  let underway: Promise<Examination> | null = null;
  const look = async (): Promise<Examination> => {
    const patient = patientOf(parts);
    const checks = checksFor(patient).filter(({ id }) => !ELSEWHERE.test(id));
    const { checks: found, ok } = await examine({ checks, patient, onStep: () => undefined });
    return { ok, atMs: parts.nowMs(), checks: found.map((check) => ({ ...check })) };
  };
  return () => (underway ??= within(look(), LONGEST_MS).finally(() => (underway = null)));
}

function patientOf(parts: Parts): Patient {
  const { config, database, settingsFile, secretFiles, workers, listModels, health, nowMs } = parts;
  const url = config.database.url?.reveal() ?? null;
  return {
    host: readHost(),
    workers,
    config,
    settingsProblem: null,
    settingsFile,
    secretFiles,
    isDev: url === null,
    lookAtServers: async () => (url === null ? [] : lookAtServers(url, config.database)),
    database: url === null ? null : database,
    schemaFolder: schemaFolder(),
    listModels: async () => (await listModels({ limit: PAGE, after: null })).data,
    reachProviders: null,
    askGateway: () => Promise.resolve(wordOf(health())),
    wayIn: null,
    silenceMs: 0,
    explain: (error) => redact(error instanceof Error ? error.message : String(error)),
    nowMs,
  };
}

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      reject(
        new Fault(
          "service_unavailable",
          `The checks took longer than ${ms / 1_000} s. Run \`tollgate doctor\` instead.`,
        ),
      ),
    ms,
  );
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
