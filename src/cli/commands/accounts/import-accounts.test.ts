import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../../../tests/support/postgres.ts";
import { runTollgate } from "../../../../tests/support/run-tollgate.ts";

const reason = whyUnavailable("15");
let folder: string;
let fresh: FreshDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-import-"));
  if (reason === null) fresh = await freshDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (reason === null) await fresh.close();
});

const tollgate = (...words: string[]) =>
  runTollgate(words, { cwd: folder, env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: fresh.url } });

const PEOPLE = Array.from({ length: 40 }, (_, n) => `Acme/Search/${n},person,100,laptop`);

test.skipIf(reason !== null)(
  "forty people get a limit and a key each, once, and their secrets a file of their own",
  async () => {
    writeFileSync(join(folder, "people.csv"), `account,kind,limit,key\n${PEOPLE.join("\n")}\n`);
    const plan = await tollgate("accounts", "import", "people.csv");
    expect(plan).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("40 accounts to create, 40 limits to set, 40 keys to create") as string,
    });
    expect(plan.stdout).toMatch(/Acme\/Search\/0 +to create +to set +to create/);
    expect(await tollgate("accounts", "import", "people.csv", "--apply")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Name a new file for their secrets with --secrets") as string,
    });
    expect((await tollgate("accounts", "list")).stdout).toContain("No accounts yet");

    const made = await tollgate("accounts", "import", "people.csv", "--apply", "--secrets", "secrets.csv");
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("40 accounts created, 40 limits set, 40 keys created.") as string,
    });
    expect(statSync(join(folder, "secrets.csv")).mode & 0o777).toBe(0o600);
    const [names, ...secrets] = readFileSync(join(folder, "secrets.csv"), "utf8").trimEnd().split("\n");
    expect(names).toBe("account,key,prefix,secret");
    expect(secrets).toHaveLength(40);
    for (const line of secrets) expect(line).toMatch(/^Acme\/Search\/\d+,laptop,tgc_\w{8},tgc_\w{41}$/);
    for (const line of secrets) expect(made.stdout + made.stderr).not.toContain(line.split(",")[3]);

    const again = await tollgate("accounts", "import", "people.csv", "--apply", "--json");
    expect(again.code).toBe(0);
    const { rows } = JSON.parse(again.stdout) as { rows: { account: string; limit: string; key: string }[] };
    expect(
      rows.filter(({ account, limit, key }) => `${account} ${limit} ${key}` !== "present present present"),
    ).toEqual([]);
  },
);

test.skipIf(reason !== null).each([
  ["account,limit\nAcme/A,10O\n", 'row 2: limit is "10O"'],
  ["account,limit\nAcme/A,1\n\nAcme//B,1\n", "row 4: account is missing"],
  [
    "account,limits\nAcme/A,1\n",
    'row 1: unknown column "limits". Columns are: account, kind, limit, unit, period, key, mode.',
  ],
  ["account,period\nAcme/A,year\n", 'row 2: period is "year". Use none, day, week, month.'],
  ["account,key\nAcme/A,x\nacme/a,x\n", "row 3: row 2 names acme/a with the same key already."],
  ["account\nA/B/C/D/E\n", "row 2: account has 5 names; the limit is 4."],
  ['account,key\nAcme/A,"x\n', "row 2: a double quote is not closed."],
  ["account,key\nAcme/A,x,y\n", "row 2: 3 cells for 2 columns."],
])("a list that is wrong changes nothing, and its row and the fix are named: %j", async (text, problem) => {
  writeFileSync(join(folder, "wrong.csv"), text);
  const { code, stderr } = await tollgate("accounts", "import", "wrong.csv", "--apply", "--secrets", "other.csv");
  expect(code).toBe(1);
  expect(stderr).toContain(problem);
});
