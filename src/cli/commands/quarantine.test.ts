import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import { quarantinedHold } from "../../../tests/support/quarantined-hold.ts";
import { requestIdOf } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createPostgres } from "../../db/postgres.ts";
import { runTollgate } from "../tollgate.ts";

const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };

describe.skipIf(whyUnavailable("15") !== null)("tollgate ledger quarantine", () => {
  let database: Database;
  let url: string;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    ({ url, close } = await freshDatabase({ version: "15" }));
    database = createPostgres({ url, ...limits });
  });
  afterAll(async () => {
    await database.close();
    await close();
  });

  /** In this process: eight new ones would take longer than all they do. */
  async function run(...words: string[]) {
    const written = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text) => {
        written[name] += String(text);
        return true;
      }),
    );
    const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`exit ${code}: ${written.stderr}`);
    });
    vi.stubEnv("DATABASE_URL", url);
    try {
      await runTollgate(["node", "tollgate", "ledger", ...words]);
      return { code: Number(process.exitCode ?? 0), ...written };
    } finally {
      process.exitCode = undefined;
      vi.unstubAllEnvs();
      for (const spy of [...spies, exit]) spy.mockRestore();
    }
  }

  test("lists, refuses and releases, with exit codes that a script can trust", async () => {
    expect(await run("quarantine", "list")).toMatchObject({ code: 0, stdout: "No request is in quarantine.\n" });
    const { keyId, id } = await quarantinedHold(database);
    const requestId = requestIdOf(id);

    const listed = await run("quarantine", "list");
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(`${requestId}\n  key           ${keyId}`);
    expect(JSON.parse((await run("quarantine", "list", "--json")).stdout)).toMatchObject({ total: 1 });
    expect((await run("verify")).stdout).toContain("1 of the holds is in quarantine");

    const refused = await run("quarantine", "release", requestId);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain(`${requestId}: still in quarantine. duplicate key`);
    const voided = await run("quarantine", "release", requestId, "--void", "--json");
    expect(voided.code).toBe(0);
    expect(JSON.parse(voided.stdout)).toMatchObject({ released: [{ request_id: requestId, result: "voided" }] });

    const gone = await run("quarantine", "release", requestId);
    expect(gone.code).toBe(1);
    expect(gone.stdout).toContain(`${requestId}: not in quarantine`);
    expect(await run("verify")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("quarantine") as string });
  });
});
