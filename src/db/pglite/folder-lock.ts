import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

type Holder = { pid: number; startedMs: number };

/** Another process has the folder. The message says which, and what to do. */
export class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
}

/**
 * Keeps a second process out of a folder. The lock is a file with the holder's process id; one left behind by a process
 * that is gone is taken over.
 */
export async function lockFolder(folder: string): Promise<{ release: () => Promise<void> }> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "tollgate.lock");
  const self: Holder = { pid: process.pid, startedMs: performance.timeOrigin };
  while (!(await createLock(path, self))) {
    const found = await readLock(path);
    if (found && holds(found.holder)) throw new FolderInUseError(refusal(found.holder, folder, path));
    if (found) await removeStale(path, found.text);
  }
  return { release: () => rm(path, { force: true }) };
}

/** A link appears whole or not at all, so nobody reads a lock that is not written yet. */
async function createLock(path: string, self: Holder): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(self));
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readLock(path: string): Promise<{ text: string; holder: Holder } | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const { pid, startedMs } = JSON.parse(text) as Partial<Holder>;
    return { text, holder: { pid: Number(pid), startedMs: Number(startedMs) } };
  } catch {
    return { text, holder: { pid: Number.NaN, startedMs: 0 } };
  }
}

function holds({ pid, startedMs }: Holder): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  // In a container every start has the same process id; only the time of the start tells them apart.
  if (pid === process.pid) return startedMs === performance.timeOrigin;
  if (isZombie(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A process that was killed and never collected still answers to its id, as in containers without an init. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

/**
 * Removes a lock nobody holds any more. One process at a time, and only while the lock is still the one that was judged: if
 * two removed it at once, the second would remove what the winner of the first had just made.
 */
async function removeStale(path: string, text: string): Promise<void> {
  const turn = `${path}.takeover`;
  try {
    await writeFile(turn, "", { flag: "wx" });
  } catch {
    await waitForTurn(turn);
    return;
  }
  try {
    if ((await readFile(path, "utf8").catch(() => null)) === text) await rm(path, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

/** A turn takes a moment. One that lasts was left by a process that died in it. */
async function waitForTurn(turn: string): Promise<void> {
  const found = await stat(turn).catch(() => null);
  if (found && Date.now() - found.mtimeMs > LONGEST_TURN_MS) await rm(turn, { force: true });
  else await sleep(TURN_CHECK_MS);
}

const LONGEST_TURN_MS = 5_000;
const TURN_CHECK_MS = 10;

const refusal = ({ pid }: Holder, folder: string, path: string): string =>
  `process ${pid} is using the database in ${folder}, and two at once would lose data. Stop that process, or choose another ` +
  `folder; if process ${pid} is something else, delete ${path}.`;
