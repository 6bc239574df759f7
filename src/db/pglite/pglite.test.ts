import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DatabaseBusyError } from "../database-error.ts";
import type { Database } from "../database.ts";
import { lockFolder } from "./folder-lock.ts";
import { createPglite } from "./pglite.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-pglite-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("what was committed is there when the folder is opened again", async () => {
  const first = await createPglite({ dataFolder: folder });
  await first.script("create table note (id int8); insert into note values (1)");
  await first.close();

  const second = await createPglite({ dataFolder: folder });
  const rows = await second.query("select id from note");
  await second.close();

  expect(rows).toEqual([{ id: 1n }]);
});

describe("in memory", () => {
  let database: Database;
  beforeAll(async () => {
    database = await createPglite({ dataFolder: null });
  });

  test("the event loop stays free while the database works", async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);

    await database.query("select count(*) from generate_series(1, 1000000)");
    clearInterval(timer);

    expect(ticks).toBeGreaterThan(5);
  });

  test("a thousand may wait for a transaction, one more is refused at once, and those who waited are served", async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const transaction = database.transaction(() => held);

    const crowd = Array.from({ length: 1_001 }, () => database.query("select 1"));

    await expect(crowd.at(-1)).rejects.toThrow(DatabaseBusyError);
    letGo();
    await transaction;
    expect(await Promise.all(crowd.slice(0, 2))).toEqual([[{ "?column?": 1 }], [{ "?column?": 1 }]]);
    await Promise.allSettled(crowd);
  });

  test("after closing, and after closing twice, a query is refused rather than left waiting", async () => {
    await Promise.all([database.close(), database.close()]);

    await expect(database.query("select 1")).rejects.toThrow("has stopped");
  });
});

test("a folder in use by a living process is refused, naming the process, the folder and the remedy", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(other, "spawn");
  await writeFile(join(folder, "tollgate.lock"), JSON.stringify({ pid: other.pid, startedMs: 1 }));

  const refusal = createPglite({ dataFolder: folder });

  await expect(refusal).rejects.toThrow(`process ${other.pid} is using the database in ${folder}`);
  await expect(refusal).rejects.toThrow("Stop that process");
  other.kill();
  await once(other, "exit");
  const taken = await lockFolder(folder);
  expect(JSON.parse(await readFile(join(folder, "tollgate.lock"), "utf8"))).toMatchObject({ pid: process.pid });
  await taken.release();
});

test("a folder is locked within one process too, until it is released", async () => {
  const held = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`process ${process.pid} is using`);

  await held.release();

  await (await lockFolder(folder)).release();
});

test("of ten that find a stale lock at once, one gets the folder, however often", async () => {
  for (let round = 0; round < 50; round++) {
    await writeFile(join(folder, "tollgate.lock"), "left half-writ");

    const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder)));

    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  }
});

test("a lock of an earlier process that had the same id is stale", async () => {
  await writeFile(join(folder, "tollgate.lock"), JSON.stringify({ pid: process.pid, startedMs: 1 }));

  await (await lockFolder(folder)).release();
});

test.skipIf(process.platform !== "linux")(
  "a lock of a process that was killed and never collected is stale",
  async () => {
    // The shell starts a child, prints its id and becomes a program that never collects it.
    const shell = spawn("bash", ["-c", "sleep 0.3 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = (await once(shell.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
    await writeFile(join(folder, "tollgate.lock"), JSON.stringify({ pid, startedMs: 1 }));

    await (await lockFolder(folder)).release();
    shell.kill();
  },
);
