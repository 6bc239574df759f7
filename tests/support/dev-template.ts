import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childEnvironment } from "./child-environment.ts";
import { administer, databaseUrl, freshDatabase, type FreshDatabase, runFolder } from "./fresh-database.ts";
import { MAIN } from "./run-tollgate.ts";

const BUILD_TIMEOUT_MS = 120_000;
const FOLDER = ".tollgate";
const TEMPLATE = "tollgate_dev";

/**
 * Gives a folder what `tollgate dev` would make there, and a database with its tables, models and first keys on the server of the run. To
 * make one costs seconds of processor time, to copy it milliseconds, and a run of tests starts dozens.
 */
export async function openDevHome(folder: string): Promise<FreshDatabase> {
  const run = await runFolder();
  if (run === null) return freshDatabase();
  const template = await templateIn(run);
  cpSync(join(template, FOLDER), join(folder, FOLDER), { recursive: true });
  return freshDatabase({ template: TEMPLATE });
}

/** The first to come makes it, and the others wait for it. */
async function templateIn({ folder, ownerUrl }: { folder: string; ownerUrl: string }): Promise<string> {
  const template = join(folder, "dev");
  const underway = `${template}.underway`;
  for (const until = Date.now() + BUILD_TIMEOUT_MS; Date.now() < until; await sleep(25)) {
    if (existsSync(template)) return template;
    if (!claimed(underway)) continue;
    try {
      await administer(ownerUrl, `create database ${TEMPLATE} template tollgate_template`);
      await build(underway, databaseUrl(ownerUrl, TEMPLATE));
      renameSync(underway, template);
    } catch (error) {
      await administer(ownerUrl, `drop database if exists ${TEMPLATE} with (force)`);
      rmSync(underway, { recursive: true, force: true });
      throw error;
    }
  }
  throw new Error(`${underway} is in the way: nobody finished making it`);
}

function claimed(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

async function build(folder: string, database: string): Promise<void> {
  const ready = join(folder, "ready.json");
  const env = { ...childEnvironment(), HOME: folder };
  const words = ["dev", "--port", "0", "--ready-file", ready, "--database", database];
  const child = spawn(process.execPath, [MAIN, ...words], { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  const exited = once(child, "exit");
  for (const until = Date.now() + BUILD_TIMEOUT_MS; !existsSync(ready); await sleep(20)) {
    if (child.exitCode !== null || Date.now() > until) throw new Error("the template of `tollgate dev` did not start");
  }
  child.kill("SIGTERM");
  await exited;
}
