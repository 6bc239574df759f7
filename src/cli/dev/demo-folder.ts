import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/load-config.ts";
import { lockFolder } from "../../db/pglite/folder-lock.ts";
import { CommandError } from "../report-failure.ts";

/** How many days are seeded unless told, the present one included. Fewer than a week have no bad afternoon to look at. */
export const DEMO_DAYS = 90;
export const FEWEST_DAYS = 7;

/** Bounds of the requests that go on while the demo runs. */
export const LIVE = { atOnce: 5, inAll: 1_500, leastGapMs: 1_000, mostGapMs: 3_500 } as const;

/** What the demo keeps beside its database: how to sign in, and the keys whose requests go on. */
export type DemoState = {
  /** `seeding`: it began and did not end. */
  state: "seeding" | "seeded";
  seed: string;
  password: string;
  secrets: Readonly<Record<string, string>>;
};

const STATE_FILE = "demo.json";
const OWNER_ONLY = 0o600;

export function writeDemoState(folder: string, state: DemoState): void {
  writeFileSync(join(folder, STATE_FILE), `${JSON.stringify(state, null, 2)}\n`, { mode: OWNER_ONLY });
}

/**
 * The demo that lies in this folder; null: it is to be made. What a seeding that was cut short left behind is removed, and a database
 * that is none of the demo's is left alone.
 */
export async function openDemoFolder(folder: string): Promise<DemoState | null> {
  const found = readState(folder);
  const data = join(folder, "pgdata");
  if (found === null && existsSync(data))
    throw new CommandError(
      `${folder} holds a database without demo data, which is left as it is. Name another folder with --folder.`,
    );
  if (found?.state !== "seeding") return found;
  // Whoever is still seeding has the lock.
  const lock = await lockFolder(folder);
  rmSync(data, { recursive: true, force: true });
  await lock.release();
  return null;
}

function readState(folder: string): DemoState | null {
  try {
    return JSON.parse(readFileSync(join(folder, STATE_FILE), "utf8")) as DemoState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Records of requests are kept as long as the demo is old, and some time more. */
export const keepingRecords = (config: Config): Config => ({
  ...config,
  records: { ...config.records, keepDays: Math.max(config.records.keepDays, 2 * DEMO_DAYS) },
});
