import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serverFolder } from "../../support/postgres-binaries.ts";
import { type Cluster, runAsServer, startCluster } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import { withClient } from "../ledger/read-ledger.ts";

export type Archived = AsyncDisposable & {
  primary: Cluster;
  /** A copy of the files of the running server, which alone is of no use without the archive. */
  backUp: () => Promise<void>;
  /** The server is lost: what is not in the archive now never will be. */
  lose: () => Promise<void>;
  /** Resolves when all that was written until now is in the archive. */
  archiveAll: () => Promise<void>;
  /** A server made of backup and archive, up to a time or as far as the archive goes. */
  restore: (target: Date | null) => Promise<Cluster>;
};

/** A primary that archives what it writes, as the page on backups says. */
export async function startArchived(archiveTimeoutSeconds: number): Promise<Archived> {
  const folder = await serverFolder();
  const [archive, backup, saved] = [join(folder, "archive"), join(folder, "backup"), join(folder, "saved")];
  await runAsServer("mkdir", [archive]);
  const primary = await startCluster({
    settings: {
      archive_mode: "on",
      archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
      archive_timeout: archiveTimeoutSeconds,
    },
  });
  return {
    primary,
    backUp: () => {
      const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"];
      return runAsServer(join(primary.binFolder, "pg_basebackup"), [
        "-D",
        backup,
        ...source,
        "-c",
        "fast",
        "--no-sync",
      ]);
    },
    lose: async () => {
      await primary.stop({ mode: "immediate" });
      await runAsServer("cp", ["-a", archive, saved]);
    },
    archiveAll: () =>
      withClient(primary.url(), async (client) => {
        const { rows } = await client.query<{ file: string }>("select pg_walfile_name(pg_switch_wal()) as file");
        const archived = "select coalesce(last_archived_wal >= $1, false) as archived from pg_stat_archiver";
        await until(
          async () => (await client.query<{ archived: boolean }>(archived, [rows[0]?.file])).rows[0]?.archived === true,
          "the archive has it",
          30_000,
        );
      }),
    restore: async (target) => {
      const restored = await startCluster({
        settings: {
          archive_mode: "off",
          restore_command: `cp ${saved}/%f %p`,
          ...(target !== null && { recovery_target_time: target.toISOString().replace("T", " ").replace("Z", "+00") }),
          recovery_target_action: "promote",
        },
        fill: async ({ dataFolder }) => {
          await runAsServer("cp", ["-a", backup, dataFolder]);
          await writeFile(join(dataFolder, "recovery.signal"), "");
        },
      });
      const recovering = "select pg_is_in_recovery() as recovering";
      await until(
        () =>
          withClient(
            restored.url(),
            async (client) => (await client.query<{ recovering: boolean }>(recovering)).rows[0]?.recovering === false,
          ),
        "the restored server takes writes",
        60_000,
      );
      return restored;
    },
    [Symbol.asyncDispose]: async () => {
      await primary.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
