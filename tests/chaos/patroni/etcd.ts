import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { freePorts } from "./free-ports.ts";
import type { Programs } from "./install.ts";
import { poll } from "./poll.ts";
import { withValues } from "./page-blocks.ts";
import { type Keeper, type Part, startPart } from "./part.ts";

/** Three etcd, of which two are a quorum. */
export type Etcd = {
  ports: readonly number[];
  /** Kills two of the three. */
  loseQuorum: () => Promise<void>;
  /** Starts those that were killed, with the data they had, and waits until they agree again. */
  regainQuorum: () => Promise<void>;
  close: () => Promise<void>;
};

const NAMES = ["db1", "db2", "db3"];
const START_TIMEOUT_MS = 60_000;

export async function startEtcd(options: {
  block: string;
  folder: string;
  programs: Programs;
  keeper: Keeper;
}): Promise<Etcd> {
  const { block, folder, programs, keeper } = options;
  const clients = await freePorts(NAMES.length);
  const peers = await freePorts(NAMES.length);
  const url = (ports: readonly number[], index: number): string => `http://127.0.0.1:${ports[index]}`;
  const files = NAMES.map((name, index) => {
    const file = join(folder, `etcd-${name}.yml`);
    const text = withValues(block, {
      name,
      "data-dir": join(folder, `etcd-${name}`),
      "listen-peer-urls": url(peers, index),
      "initial-advertise-peer-urls": url(peers, index),
      "listen-client-urls": url(clients, index),
      "advertise-client-urls": url(clients, index),
      "initial-cluster": NAMES.map((peer, at) => `${peer}=${url(peers, at)}`).join(","),
    });
    writeFileSync(file, text);
    return file;
  });
  const start = (file: string, index: number): Part =>
    startPart({
      name: `etcd-${NAMES[index]}`,
      folder,
      keeper,
      command: programs.etcd,
      args: ["--config-file", file],
      environment: programs.libraries,
    });
  const healthy = async (index: number): Promise<boolean> => {
    try {
      const answer = await fetch(`${url(clients, index)}/health`, { signal: AbortSignal.timeout(1_000) });
      return ((await answer.json()) as { health: string }).health === "true";
    } catch {
      return false;
    }
  };
  const allHealthy = async (): Promise<boolean> =>
    (await Promise.all(NAMES.map((_, index) => healthy(index)))).every(Boolean);

  const parts = files.map(start);
  await poll(allHealthy, "three etcd agree", START_TIMEOUT_MS);
  return {
    ports: clients,
    loseQuorum: async () => void (await Promise.all(parts.slice(1).map((part) => part.kill()))),
    regainQuorum: async () => {
      for (const [index, file] of files.entries()) if (!parts[index]?.alive()) parts[index] = start(file, index);
      await poll(allHealthy, "three etcd agree again", START_TIMEOUT_MS);
    },
    close: async () => void (await Promise.all(parts.map((part) => part.kill()))),
  };
}
