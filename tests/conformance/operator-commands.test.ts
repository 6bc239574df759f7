import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bookRequests } from "../support/book-requests.ts";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { childEnvironment } from "../support/child-environment.ts";

/** A dozen commands, each a process of its own, take their time on a busy machine. */

type Tollgate = (...words: string[]) => Promise<Ran>;
type Made = { key: { id: string; prefix: string }; secret: string; funds: { balance: string } };

async function json<Answer>(run: Promise<Ran>): Promise<Answer> {
  const { code, stdout, stderr } = await run;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Answer;
}

async function made(tollgate: Tollgate, ...options: string[]): Promise<Made> {
  const key = await json<Made>(tollgate("keys", "create", ...options, "--json"));
  rememberSecrets([key.secret]);
  return key;
}

describe("beside a running gateway", () => {
  let gateway: GatewayProcess;
  let tollgate: Tollgate;
  beforeAll(async () => {
    gateway = await startGatewayProcess({ models: { m: { upstream: "sim-m+tokens=20" } } });
    tollgate = (...words) => gateway.tollgate(...words);
  });
  afterAll(() => gateway.stop());

  const ask = (secret: string) =>
    fetch(`${gateway.publicUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] }),
    });
  const status = async (secret: string): Promise<number> => {
    const response = await ask(secret);
    await response.arrayBuffer();
    return response.status;
  };

  test("a key without credit is refused, says how it is topped up, and works once it was", async () => {
    const created = await tollgate("keys", "create", "--label", "poor");
    const secret = created.stdout.trim();
    rememberSecrets([secret]);

    expect(created.stderr).toContain("Its balance is 0, so requests are rejected. Add credit: tollgate topup tgc_");
    expect(await status(secret)).toBe(402);
    const topUp = await tollgate("topup", secret.slice(0, 12), "1", "--ref", "invoice 7");
    expect(topUp).toMatchObject({ code: 0, stdout: expect.stringContaining("balance    1\n") as string });
    expect(await status(secret)).toBe(200);
    const again = await tollgate("topup", secret.slice(0, 12), "1", "--ref", "invoice 7");
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Already booked") as string });
    const other = await tollgate("topup", secret.slice(0, 12), "2", "--ref", "invoice 7");
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("invoice 7 was already used") as string });
  });

  test("what a request cost stands in the journal under the id its caller saw, and in the usage of its day", async () => {
    const { key, secret } = await made(tollgate, "--credit", "2");
    const response = await ask(secret);
    await response.arrayBuffer();
    const requestId = response.headers.get("x-request-id");

    type Journal = { data: { kind: string; credits: string; running: string; request_id: string | null }[] };
    const { data: entries } = await json<Journal>(tollgate("ledger", "show", key.prefix, "--json"));
    const listing = await tollgate("ledger", "show", key.prefix);
    const usage = await tollgate("usage", key.prefix, "--days", "2");
    const verification = await tollgate("ledger", "verify");

    expect(entries).toMatchObject([
      { kind: "completed", request_id: requestId },
      { kind: "purchase", credits: "2", running: "2" },
    ]);
    expect(Number(entries[0]?.credits)).toBeLessThan(0);
    expect(Number(entries[0]?.running)).toBeCloseTo(2 + Number(entries[0]?.credits), 9);
    expect(listing.stdout).toContain(requestId);
    expect(usage.stdout).toMatch(/^m +0\.\d+ +█{24} +1 +0 +\d+ +20$/m);
    // No escape sequences where nobody could see the colours.
    expect(usage.stdout).not.toContain("\u001B");
    expect(verification).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The ledger is consistent.") as string,
    });
  });

  test("suspended, disabled and resumed, a key answers as its state says from the next request on", async () => {
    const { key, secret } = await made(tollgate, "--credit", "2");
    const after = async (word: string): Promise<number> => {
      expect(await tollgate("keys", word, key.prefix)).toMatchObject({ code: 0 });
      return status(secret);
    };

    expect(await after("suspend")).toBe(401);
    const barred = await tollgate("keys", "disable", key.prefix);
    expect(barred).toMatchObject({ code: 1, stderr: expect.stringContaining("it is suspended") as string });
    expect(await after("resume")).toBe(200);
    expect(await after("disable")).toBe(403);
    expect(await after("enable")).toBe(200);
    expect(await after("revoke")).toBe(401);
    expect((await tollgate("keys", "resume", key.prefix)).stderr).toContain("it is revoked. This is final");
  });

  test("rotated without overlap, only the new secret works; with one, both do [KEY-22] [KEY-23]", async () => {
    const { key, secret: first } = await made(tollgate, "--credit", "2");
    const rotate = async (overlap: string): Promise<string> => {
      const { stdout } = await tollgate("keys", "rotate", key.id, "--overlap", overlap);
      rememberSecrets([stdout.trim()]);
      return stdout.trim();
    };

    const second = await rotate("24h");
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    const third = await rotate("0");
    expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200]);
  });

  test("a changed limit and a changed date hold from the next request on [KEY-6] [KEY-7]", async () => {
    const { key, secret } = await made(tollgate, "--credit", "2");
    const update = async (...words: string[]): Promise<void> => {
      expect(await tollgate("keys", "update", key.id, ...words)).toMatchObject({ code: 0 });
    };

    await update("--expires", "2020-01-01");
    expect(await status(secret)).toBe(403);
    await update("--expires", "never", "--rpm", "1");
    expect([await status(secret), await status(secret)]).toEqual([200, 429]);
    await update("--rpm", "none");
    expect(await status(secret)).toBe(200);
  });
});

const reason = whyUnavailable("15");
describe.skipIf(reason !== null)("on a database, without a gateway", () => {
  let fresh: FreshDatabase;
  let sql: Client;
  let folder: string;
  let tollgate: Tollgate;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-operator-"));
    fresh = await freshDatabase({ version: "15" });
    sql = new Client({ connectionString: fresh.url });
    await sql.connect();
    const env = { ...childEnvironment(), HOME: folder, DATABASE_URL: fresh.url };
    tollgate = (...words) => runTollgate(words, { cwd: folder, env });
  });
  afterAll(async () => {
    await sql.end();
    await fresh.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("verification names the key, the column and both figures, and ends with 1, until the damage is mended", async () => {
    const { key } = await made(tollgate, "--credit", "5");
    const { key: bystander } = await made(tollgate, "--credit", "5");
    await bookRequests(fresh.url, key.id, 20);
    const of = `where key_id = '${key.id}'`;
    const unlocked = (change: string): string =>
      `alter table charge disable trigger charge_is_final; ${change}; alter table charge enable trigger charge_is_final`;
    const ours = `key_no = (select key_no from balance ${of})`;
    const one = `where hold_id = (select min(hold_id::text) from charge where ${ours})::uuid`;
    const damages: [column: string, harm: string, mend: string][] = [
      [
        "counter.posted",
        `update balance set posted = posted + 1 ${of}`,
        `update balance set posted = posted - 1 ${of}`,
      ],
      ["counter.held", `update balance set held = held - 1 ${of}`, `update balance set held = held + 1 ${of}`],
      [
        "counter.used",
        unlocked(`update charge set credits = credits + 1 ${one}`),
        unlocked(`update charge set credits = credits - 1 ${one}`),
      ],
      [
        "counter.held",
        "create table kept as select * from hold; delete from hold",
        "insert into hold select * from kept; drop table kept",
      ],
    ];
    const whole = await tollgate("ledger", "verify");
    expect(whole).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 keys, 2 purses and limits, 20 charges, 2 fundings, 1 hold.") as string,
    });
    expect(whole.stderr).toBe("");

    for (const [column, harm, mend] of damages) {
      await sql.query(harm);
      const { code, stdout } = await tollgate("ledger", "verify");
      const { code: codeOfOne } = await tollgate("ledger", "verify", "--key", bystander.prefix);
      await sql.query(mend);

      expect({ column, code, codeOfOne }).toEqual({ column, code: 1, codeOfOne: 0 });
      expect(stdout).toMatch(new RegExp(`^key ${key.id}, counter \\d+ +${column} +\\S+ +\\S+$`, "m"));
      expect(stdout).not.toContain(bystander.id);
    }
    const mended = await json<{ ok: boolean }>(tollgate("ledger", "verify", "--json"));
    expect(mended.ok).toBe(true);
  });

  test("every command does without a gateway what it does beside one", async () => {
    const { key } = await made(
      tollgate,
      "--mode",
      "token_budget",
      "--budget",
      "1000",
      "--period",
      "day",
      "--rpm",
      "60",
    );
    const steps: [words: string[], logged: string[]][] = [
      [["budget", key.prefix, "2000"], ["funds booked"]],
      [["keys", "suspend", key.prefix], ["key status changed"]],
      [["keys", "resume", key.prefix], ["key status changed"]],
      [["keys", "update", key.prefix, "--label", "renamed"], ["key changed"]],
      [["keys", "show", key.prefix], []],
      [["usage", key.prefix], []],
      [["ledger", "show", key.prefix], []],
      [["keys", "revoke", key.prefix], ["key status changed"]],
    ];
    for (const [words, logged] of steps) {
      const { code, stdout, stderr } = await tollgate(...words);
      const lines = stderr.split("\n").filter((line) => line !== "");
      const told = lines.map((line) => JSON.parse(line) as { msg: string; actor: string; key_id: string });
      expect({ words, code }).toEqual({ words, code: 0 });
      expect(told).toMatchObject(logged.map((msg) => ({ msg, actor: "cli", key_id: key.id })));
      expect(stdout).toContain(words[0] === "ledger" ? `create:${key.id}` : key.prefix);
    }
    expect(await json(tollgate("keys", "show", key.id, "--json"))).toMatchObject({
      key: { status: "revoked", label: "renamed", rpm_limit: 60 },
      funds: { budget: "2000", period: "day" },
    });
  });
});
