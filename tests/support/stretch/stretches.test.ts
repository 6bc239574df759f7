import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { longer, type Stretch, watchStretches } from "./stretches.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-stretch-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BURN = `
  const burn = (ms) => {
    const before = process.threadCpuUsage();
    for (;;) { const { user, system } = process.threadCpuUsage(before); if (user + system > ms * 1000) return; }
  };
`;

/** What a program's main thread was kept busy with, its start apart. */
async function stretchesOf(program: string): Promise<Stretch[]> {
  const stretches = watchStretches(folder);
  writeFileSync(join(folder, "program.mjs"), BURN + program);
  const child = spawn(process.execPath, [join(folder, "program.mjs")], { env: stretches.environment });
  await once(child, "close");
  return stretches.take().filter(({ what }) => what !== "start");
}

test("work that goes on in promises and ticks is one stretch with what called for it", async () => {
  const [only, ...others] = await stretchesOf(`
    setTimeout(async () => { burn(20); await null; burn(20); process.nextTick(() => burn(20)); }, 1);
    setTimeout(() => undefined, 50);
  `);

  expect(only).toMatchObject({ what: "Timeout" });
  expect(only?.ms).toBeGreaterThanOrEqual(60);
  expect(others).toEqual([]);
});

test("work that lets the event loop turn is as many stretches", async () => {
  const found = await stretchesOf(`
    import { setImmediate } from "node:timers/promises";
    burn(20);
    for (let part = 0; part < 3; part++) { await setImmediate(); burn(20); }
    setTimeout(() => undefined, 50);
  `);

  expect(found.length).toBeGreaterThanOrEqual(3);
  expect(found.filter(({ ms }) => ms > 35)).toEqual([]);
});

test("a request that is read and answered in one go is one stretch, and waiting is none", async () => {
  const found = await stretchesOf(`
    import http from "node:http";
    const server = http.createServer(async (_, response) => { burn(20); await null; burn(20); response.end(); });
    server.listen(0, "127.0.0.1", async () => {
      await (await fetch("http://127.0.0.1:" + server.address().port)).text();
      await new Promise((resolve) => setTimeout(resolve, 100));
      server.close();
    });
  `);

  expect(found.reduce<Stretch | null>(longer, null)?.ms).toBeGreaterThanOrEqual(40);
});

test("another thread's work is none of the main one's", async () => {
  const found = await stretchesOf(`
    import { Worker } from "node:worker_threads";
    new Worker(\`(\${"burn = " + burn})(100)\`, { eval: true });
  `);

  expect(found.reduce<Stretch | null>(longer, null)?.ms ?? 0).toBeLessThan(50);
});

test("a process that records nothing is not taken for one that is never busy", () => {
  expect(() => watchStretches(folder).longest()).toThrow(/ENOENT/);
});
