/** Gateways for pictures of the console: one with the demo, and one without anything. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OWNER_EMAIL } from "../../demo/organisation.ts";

type Ready = { publicUrl: string; adminUrl: string; adminToken: string; keys: { credit: string } };
export type Stage = Ready & { email: string; password: string; close: () => Promise<void> };

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const PATIENT_MS = 300_000;

/** The demo; in a folder that is given it is seeded once, and found again. */
export async function startDemo(folder: string | null): Promise<Stage> {
  const place = folder ?? mkdtempSync(join(tmpdir(), "tollgate-demo-"));
  const { ready, stop } = await startDev(place, ["--demo"]);
  const { password } = JSON.parse(readFileSync(join(place, "demo.json"), "utf8")) as { password: string };
  const close = async (): Promise<void> => {
    await stop();
    if (folder === null) rmSync(place, { recursive: true, force: true });
  };
  return { ...ready, email: OWNER_EMAIL, password, close };
}

/** A gateway on its first day: somebody to sign in, and nothing that happened yet. */
export async function startEmpty(): Promise<Stage> {
  const place = mkdtempSync(join(tmpdir(), "tollgate-empty-"));
  const { ready, stop } = await startDev(place, []);
  const person = { email: "owner@empty.example", name: "Owner", password: "a long enough password" };
  const response = await fetch(`${ready.adminUrl}/admin/v1/people`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ ...person, grants: [{ role: "owner" }] }),
  });
  if (!response.ok) throw new Error(`no owner was made: ${response.status} ${await response.text()}`);
  const close = async (): Promise<void> => {
    await stop();
    rmSync(place, { recursive: true, force: true });
  };
  return { ...ready, email: person.email, password: person.password, close };
}

async function startDev(
  folder: string,
  words: readonly string[],
): Promise<{ ready: Ready; stop: () => Promise<void> }> {
  const file = join(folder, "ready.json");
  // Of an earlier run.
  rmSync(file, { force: true });
  const child = spawn(
    process.execPath,
    [MAIN, "dev", "--port", "0", "--folder", folder, "--ready-file", file, ...words],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  for (const until = Date.now() + PATIENT_MS; !existsSync(file); await sleep(100))
    if (child.exitCode !== null || Date.now() > until) throw new Error("`tollgate dev` did not start");
  return { ready: JSON.parse(readFileSync(file, "utf8")) as Ready, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
