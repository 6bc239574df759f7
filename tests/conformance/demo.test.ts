import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { childEnvironment } from "../support/child-environment.ts";
import { DEMO_PATIENCE_MS as PATIENT_MS, type DemoProcess, startDemoProcess } from "../support/demo-process.ts";
import { MAIN, runTollgate } from "../support/run-tollgate.ts";
import { until } from "../support/until.ts";

const FOLDER = ".tollgate-demo";

let home: string;
let demo: DemoProcess;
const environment = () => ({ ...childEnvironment(), HOME: home });
const tollgate = (...words: string[]) => runTollgate(words, { cwd: home, env: environment() });

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tollgate-demo-"));
  demo = await startDemoProcess(home);
}, PATIENT_MS);
afterAll(async () => {
  await demo.stop();
  rmSync(home, { recursive: true, force: true });
}, PATIENT_MS);

test("the demo says what it seeded, and how to sign in as operator and as key holder", async () => {
  const said = demo.said();
  const [, email = ""] = /email +(\S+)/.exec(said) ?? [];
  const [, password = ""] = /password +(\S+)/.exec(said) ?? [];
  const session = await fetch(`${demo.adminUrl}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: demo.adminUrl },
    body: JSON.stringify({ email, password }),
  });
  const holder = await fetch(`${demo.publicUrl}/me`, {
    headers: { authorization: `Bearer ${demo.keys.credit}` },
  });

  expect(said).toMatch(/Seeded \d\d,\d\d\d requests of 90 days in \d+ s\./);
  expect([session.status, holder.status]).toEqual([201, 200]);
  expect(said).toContain(`${demo.adminUrl}/console`);
  expect(said).toContain("at most 5 at a time, 1,500 in all");
});

test("made-up requests go on, and are charged to the keys of the demo", async () => {
  type Listed = { data: { at: string; charged: unknown }[] };
  const fresh = async () => (await demo.ask<Listed>("/requests?limit=5")).data[0]?.at ?? "";
  const before = await fresh();
  await expect.poll(fresh, { timeout: 60_000 }).not.toBe(before);
});

test(
  "the books verify while requests go on, with every amount computed again",
  async () => {
    const { code, stdout } = await tollgate("ledger", "verify", "--recompute", "--json");
    const report = JSON.parse(stdout) as { ok: boolean; mismatches: unknown[]; recomputed: number };

    expect(report.mismatches).toEqual([]);
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
    expect(report.recomputed).toBeGreaterThan(30_000);
  },
  PATIENT_MS,
);

test(
  "a second start finds the demo and seeds nothing again",
  async () => {
    type Accounts = { data: { id: string }[] };
    const before = await demo.ask<Accounts>("/accounts?limit=100");
    await demo.stop();
    demo = await startDemoProcess(home);

    expect(demo.said()).not.toContain("Seeded");
    expect(await demo.ask<Accounts>("/accounts?limit=100")).toMatchObject({
      data: before.data.map(({ id }) => ({ id })),
    });
  },
  PATIENT_MS,
);

test(
  "a database that is none of the demo's is left alone",
  async () => {
    const elsewhere = join(home, "elsewhere");
    const plain = spawn(process.execPath, [MAIN, "dev", "--port", "0", "--folder", elsewhere], {
      cwd: home,
      env: environment(),
      stdio: "ignore",
    });
    const exited = once(plain, "exit");
    await until(() => existsSync(join(elsewhere, "dev.json")), "a dev without the demo runs", PATIENT_MS);
    plain.kill("SIGTERM");
    await exited;
    const { code, stderr } = await tollgate("dev", "--demo", "--port", "0", "--folder", elsewhere);

    expect(code).toBe(1);
    expect(stderr).toContain("holds a database without demo data");
    expect(existsSync(join(home, FOLDER, "demo.json"))).toBe(true);
  },
  PATIENT_MS,
);
