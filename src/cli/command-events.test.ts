import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { runCommand } from "../../tests/support/run-command.ts";

type Line = { msg: string; actor: string; key_id?: string };

describe.skipIf(whyUnavailable("15") !== null)("what a command changes in a database", () => {
  let url: string;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    ({ url, close } = await freshDatabase({ version: "15" }));
  });
  afterAll(() => close());

  const run = (words: string, { terminal = false, level = "info" } = {}) =>
    runCommand(words.split(" "), { environment: { DATABASE_URL: url, LOG_LEVEL: level }, terminal });

  const linesOf = (stderr: string): Line[] =>
    stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Line);

  test("is told on standard error with who did it, and standard output has the result alone", async () => {
    const made = await run("keys create --credit 5 --json");
    const { key } = JSON.parse(made.stdout) as { key: { id: string; prefix: string } };
    const suspended = await run(`keys suspend ${key.prefix} --json`);
    const again = await run(`keys suspend ${key.prefix} --json`);
    const booked = await run(`topup ${key.prefix} 1.50 --ref r --kind grant`);

    const by = { actor: "cli", key_id: key.id, key_prefix: key.prefix };
    expect(linesOf(made.stderr)).toMatchObject([
      { msg: "key issued", mode: "credit", ...by },
      { msg: "funds booked", kind: "purchase", amount: "5", reference: `create:${key.id}`, ...by },
    ]);
    expect(linesOf(suspended.stderr)).toMatchObject([{ msg: "key status changed", status: "suspended", ...by }]);
    expect(JSON.parse(suspended.stdout)).toMatchObject({ changed: true });
    expect(again.stderr).toBe("");
    expect(linesOf(booked.stderr)).toMatchObject([{ msg: "funds booked", kind: "grant", amount: "1.5", ...by }]);
    expect(booked.stdout).toContain("Added 1.5 credits");
  });

  test("is not told to a terminal, nor below the level of the log", async () => {
    for (const quiet of [{ terminal: true }, { level: "warn" }]) {
      const made = await run("keys create --json", quiet);

      expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: "" });
    }
  });

  test("is shown page by page, or all of it", async () => {
    for (let count = 0; count < 3; count++) await run("keys create --json", { terminal: true });
    type Keys = { data: { id: string }[]; next: string | null };
    const list = async (words: string): Promise<Keys> =>
      JSON.parse((await run(`keys list ${words} --json`)).stdout) as Keys;

    const first = await list("--limit 2");
    const second = await list(`--limit 2 --after ${first.next}`);
    const all = await list("--all");
    expect(all.next).toBeNull();
    expect(all.data.length).toBeGreaterThan(4);
    expect([...first.data, ...second.data]).toEqual(all.data.slice(0, 4));
    expect((await run("keys list --limit 2")).stdout).toContain(`Continue with --after ${first.next}`);
    const hostile = await run("keys list --after nonsense");
    expect(hostile).toMatchObject({ code: 1, stdout: "" });
    expect(hostile.stderr).toContain("omit it to get the first page");
  });
});
