import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

type Holder = { pid: number; startedMs: number };

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
    if (found && holds(found.holder)) throw new Error(refusal(found.holder, folder, path));
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
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Moves the lock aside before removing it: if another process was faster, what moved is its lock and goes back. */
async function removeStale(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, "utf8")) !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

const refusal = ({ pid }: Holder, folder: string, path: string): string =>
  `process ${pid} is using the database in ${folder}, and two at once would lose data. Stop that process, or choose another ` +
  `folder; if process ${pid} is something else, delete ${path}.`;
