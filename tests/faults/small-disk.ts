import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../support/postgres-cluster.ts";

export type SmallDisk = {
  /** Leaves no room on it. */
  fill: () => void;
  empty: () => void;
  close: () => void;
};

/** Room for what a server begins with and one segment more. */
const SIZE = "56m";
const PIECE = Buffer.alloc(1_048_576);

/** Moves the WAL of a server to a disk of its own. The server is stopped for it. */
export async function moveWal(cluster: Cluster, folder: string): Promise<SmallDisk> {
  await cluster.stop();
  const { uid, gid } = statSync(cluster.dataFolder);
  const disk = join(folder, "wal-disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE},uid=${uid},gid=${gid},mode=700`, "none", disk]);
  // PostgreSQL must be able to go there.
  execFileSync("chmod", ["755", folder]);
  const wal = join(cluster.dataFolder, "pg_wal");
  const own = join(disk, "pg_wal");
  cpSync(wal, own, { recursive: true });
  execFileSync("chown", ["-R", `${uid}:${gid}`, own]);
  rmSync(wal, { recursive: true });
  symlinkSync(own, wal);
  await cluster.start();
  return {
    fill: () => {
      try {
        for (let piece = 0; ; piece += 1) writeFileSync(join(disk, `full-${piece}`), PIECE);
      } catch {
        // That is the aim.
      }
    },
    empty: () => {
      for (const name of readdirSync(disk)) if (name.startsWith("full-")) rmSync(join(disk, name));
    },
    close: () => void execFileSync("umount", ["--lazy", disk]),
  };
}
