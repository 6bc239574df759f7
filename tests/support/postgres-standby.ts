import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Cluster, runAsServer, startCluster } from "./postgres-cluster.ts";

/** A standby that streams from the primary, made as an operator would make it. */
export const startStandbyOf = (
  primary: Cluster,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Cluster> =>
  startCluster({
    settings: {
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres`,
      hot_standby: "on",
      ...settings,
    },
    fill: async ({ dataFolder, binFolder }) => {
      const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"];
      await runAsServer(join(binFolder, "pg_basebackup"), ["-D", dataFolder, ...source, "-c", "fast", "--no-sync"]);
      await writeFile(join(dataFolder, "standby.signal"), "");
    },
  });

/** Resolves when the server takes writes, on a timeline of its own. */
export const promote = ({ binFolder, dataFolder }: Cluster): Promise<void> =>
  runAsServer(join(binFolder, "pg_ctl"), ["promote", "-D", dataFolder, "-w"]);
