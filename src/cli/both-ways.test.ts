import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { rememberSecrets } from "../../tests/support/gateway-process.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { type ServeProcess, startServeProcess } from "../../tests/support/serve-process.ts";
import { BOTH_WAYS, NOT_BOTH_WAYS, type Row } from "../../tests/support/commands-both-ways.ts";
import { createProgram, runTollgate } from "./tollgate.ts";

const TOKEN = "an-admin-token-for-both-ways";
/** The variables that choose the way. */
const CHOOSING = ["DATABASE_URL", "TOLLGATE_URL", "TOLLGATE_TOKEN"];
const missing = whyUnavailable("15");

/** The words of every command that has no commands below it. */
const leavesOf = (command: Command, words: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [words.join(" ")]
    : command.commands.flatMap((below) => leavesOf(below, [...words, below.name()]));

test("every command has a row that runs it both ways, or a reason why there is none", async () => {
  const all = leavesOf(await createProgram("")).filter((words) => words !== "help");
  const known = [...BOTH_WAYS.map(({ command }) => command), ...Object.keys(NOT_BOTH_WAYS)];

  expect(all.filter((words) => !known.includes(words))).toEqual([]);
  expect(known.filter((words) => !all.includes(words))).toEqual([]);
});

describe.skipIf(missing)(`commands through both ways${missing === null ? "" : `: skipped, ${missing}`}`, () => {
  let database: FreshDatabase;
  let gateway: ServeProcess;
  let folder: string;
  const kept: Record<Way, Record<string, string>> = { one: {}, two: {} };
  const before = { ...process.env };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-both-ways-"));
    database = await freshDatabase();
    rememberSecrets([TOKEN]);
    gateway = await startServeProcess({
      folder,
      environment: {
        PATH: process.env["PATH"] ?? "",
        DATABASE_URL: database.url,
        TOLLGATE_ADMIN_TOKEN: TOKEN,
        TOLLGATE_ADMIN_PORT: "0",
        PORT: "0",
        TOLLGATE_DATABASE_STATEMENT_TIMEOUT_MS: "30000",
        TOLLGATE_OPERATOR_STATEMENT_TIMEOUT_MS: "30000",
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    for (const name of CHOOSING) delete process.env[name];
    Object.assign(process.env, before);
  });

  const environmentOf = (way: Way): Record<string, string> =>
    way === "one" ? { DATABASE_URL: database.url } : { TOLLGATE_URL: gateway.adminUrl, TOLLGATE_TOKEN: TOKEN };

  /** Runs a command in this process: dozens of new ones would take a minute. */
  async function run(words: readonly string[], environment: Record<string, string>, input?: string): Promise<Ran> {
    if (input !== undefined) vi.spyOn(process, "stdin", "get").mockReturnValue(piped(input));
    for (const name of CHOOSING) delete process.env[name];
    Object.assign(process.env, environment);
    const written = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text, ...rest) => {
        written[name] += String(text);
        for (const done of rest) if (typeof done === "function") done(null);
        return true;
      }),
    );
    try {
      await runTollgate(["node", "tollgate", ...words]);
      return { code: Number(process.exitCode ?? 0), ...written };
    } finally {
      process.exitCode = undefined;
      for (const spy of spies) spy.mockRestore();
      vi.restoreAllMocks();
    }
  }

  /** Puts in what this way named and kept. Both ways do the same to things of their own. */
  const wordsOf = (row: Row, way: Way): string[] => [
    ...row.command.split(" "),
    ...(row.words ?? []).map((word) =>
      word.replaceAll("WAY", way).replaceAll(/\$(\w+)/g, (_, name: string) => kept[way][name] ?? `$${name}`),
    ),
  ];

  async function runRow(row: Row, way: Way): Promise<Ran> {
    for (const [name, text] of Object.entries(row.files ?? {})) {
      const path = join(folder, `${way}-${name}`);
      writeFileSync(path, text.replaceAll("WAY", way));
      kept[way][name.replaceAll(/\W/g, "")] = path;
    }
    const ran = await run(wordsOf(row, way), environmentOf(way), row.input);
    for (const [name, find] of Object.entries(row.keep ?? {})) {
      try {
        kept[way][name] = find(JSON.parse(ran.stdout) as never);
      } catch (error) {
        throw new Error(`${row.command}: ${ran.stdout}${ran.stderr}`, { cause: error });
      }
    }
    return ran;
  }

  test.each(BOTH_WAYS)("tollgate $command", async (row) => {
    const one = await runRow(row, "one");
    const two = await runRow(row, "two");

    expect(seen(row, two)).toEqual(seen(row, one));
    expect(one.code, one.stderr).toBe(row.code ?? 0);
  });

  test("whoami names the database, and nothing of the credentials in its URL", async () => {
    const { code, stdout } = await run(["whoami"], environmentOf("one"));
    const { host, pathname, password, username } = new URL(database.url);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^cli\n +acts as +a command on the database/);
    expect(stdout).toContain(`${host}${pathname}`);
    expect(stdout).not.toContain(`${username}:${password}@`);
    expect(JSON.parse((await run(["whoami", "--json"], environmentOf("one"))).stdout)).toMatchObject({
      through: "database",
      actor: "cli",
      via: "cli",
      person: null,
    });
  });

  test("whoami names the automation token as what it is", async () => {
    const { code, stdout } = await run(["whoami"], environmentOf("two"));

    expect(code).toBe(0);
    expect(stdout).toContain("the automation token");
    expect(stdout).toContain(gateway.adminUrl);
    expect(stdout).not.toContain(TOKEN);
  });

  test("whoami with a personal token names the person, their roles, and the scope and expiry of the token", async () => {
    const [automation, who] = [environmentOf("two"), "lena@x.example"];
    await run(["people", "add", who, "--role", "operator", "--at", "Org-two/Team", "--name", "Lena"], automation);
    const words = ["tokens", "create", who, "--name", "nightly", "--account", "Org-two/Team", "--days", "3", "--json"];
    const { secret, token } = JSON.parse((await run(words, automation)).stdout) as Record<string, never> & {
      secret: string;
      token: { expires_at: string; prefix: string };
    };
    const personal = { ...automation, TOLLGATE_TOKEN: secret };

    const { code, stdout } = await run(["whoami"], personal);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^lena@x\.example\n/);
    expect(stdout).toContain("operator at Org-two/Team");
    expect(stdout).toContain(`${token.prefix}… (nightly)`);
    expect(stdout).toContain("all that its person may do, below Org-two/Team");
    expect(stdout).toContain(token.expires_at);
    expect(stdout).not.toContain(secret);
    expect(JSON.parse((await run(["whoami", "--json"], personal)).stdout)).toMatchObject({
      through: "gateway",
      actor: who,
      via: "token",
      token: { name: "nightly", account: "Org-two/Team" },
    });
    expect((await run(["tokens", "create", who, "--name", "another"], personal)).stderr).toContain(
      "A token can't create tokens",
    );
  });

  test("the secret of a token goes to standard output alone, and once", async () => {
    const made = await run(["tokens", "create", "lena@x.example", "--name", "ci"], environmentOf("one"));

    expect(made.stdout).toMatch(/^tgp_\w+\n$/);
    expect(made.stderr).toContain("Save this secret now; it won't be shown again.");
    expect(made.stderr).not.toContain(made.stdout.trim());
    expect((await run(["tokens", "list", "--json"], environmentOf("one"))).stdout).not.toContain(made.stdout.trim());
  });

  test("an error reads the same, and fails alike", async () => {
    const words = ["keys", "show", "tgc_nobodyhas", "--json"];
    const [one, two] = [await run(words, environmentOf("one")), await run(words, environmentOf("two"))];

    expect(two).toEqual(one);
    expect(two.code).toBe(1);
  });

  test("the gateway of TOLLGATE_URL is used although there is a database", async () => {
    const elsewhere = { ...environmentOf("two"), DATABASE_URL: "postgres://nobody@127.0.0.1:1/nowhere" };

    expect(await run(["keys", "list", "--json"], elsewhere)).toMatchObject({ code: 0 });
  });

  test("a gateway that does not answer is named with the fix, and without the token", async () => {
    const { code, stderr } = await run(["keys", "list"], {
      ...environmentOf("two"),
      TOLLGATE_URL: "http://127.0.0.1:9",
    });

    expect(code).toBe(1);
    expect(stderr).toContain("the gateway at http://127.0.0.1:9 does not answer");
    expect(stderr).toContain("TOLLGATE_URL is the URL of its admin listener");
    expect(stderr).not.toContain(TOKEN);
  });

  test("a wrong token is refused in the words of the API", async () => {
    const wrong = "a-wrong-token-for-both-ways";
    const { code, stderr } = await run(["keys", "list"], { ...environmentOf("two"), TOLLGATE_TOKEN: wrong });

    expect(code).toBe(1);
    expect(stderr).toMatch(/token/);
    expect(stderr).not.toContain(wrong);
  });

  test("a URL without a token, and a token without a URL, are refused", async () => {
    const { TOLLGATE_TOKEN: _, ...noToken } = environmentOf("two");
    const { TOLLGATE_URL: __, ...noUrl } = environmentOf("two");

    expect((await run(["keys", "list"], noToken)).stderr).toContain("TOLLGATE_TOKEN is not");
    expect((await run(["keys", "list"], noUrl)).stderr).toContain("TOLLGATE_URL is not");
  });

  test("a command that needs the database says so", async () => {
    const { code, stderr } = await run(["migrate", "--status"], environmentOf("two"));

    expect(code).toBe(1);
    expect(stderr).toContain("works on the database itself");
  });
});

type Way = "one" | "two";
type Ran = { code: number; stdout: string; stderr: string };

/** What must agree: for a change all but the names of what it made; the log of changes is on standard error of one way only. */
const seen = (row: Row, { code, stdout, stderr }: Ran) => ({
  code,
  stdout: row.same ? stdout : masked(stdout),
  ...(code !== 0 && stdout === "" && { stderr: masked(stderr) }),
});

const piped = (text: string): typeof process.stdin => Readable.from([text]) as unknown as typeof process.stdin;

const masked = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/\btg[ctp]_[\w-]+/g, "KEY")
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, "TIME")
    .replaceAll(/"(id|counter|\w+_ms)": \d+/g, '"$1": N')
    .replaceAll(/"actor": "(cli|admin)"/g, "ACTOR")
    .replaceAll(/\b(one|two)\b/g, "WAY")
    .replaceAll(/-(one|two)\b/g, "-WAY");
