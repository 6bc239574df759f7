import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, whyUnavailable } from "../../../../tests/support/postgres.ts";
import { runCommand } from "../../../../tests/support/run-command.ts";
import { quarantinedHold } from "../../../../tests/support/quarantined-hold.ts";
import { requestIdOf } from "../../../core/ids.ts";
import type { Database } from "../../../db/database.ts";
import { createPostgres } from "../../../db/postgres/postgres.ts";

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

  const run = (...words: string[]) => runCommand(["ledger", ...words], { environment: { DATABASE_URL: url } });

  test("lists, refuses and releases, with exit codes that a script can trust", async () => {
    expect(await run("quarantine", "list")).toMatchObject({ code: 0, stdout: "No request is in quarantine.\n" });
    const { keyId, id } = await quarantinedHold(database);
    const requestId = requestIdOf(id);

    const listed = await run("quarantine", "list");
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(`${requestId}\n  key           ${keyId}`);
    expect(JSON.parse((await run("quarantine", "list", "--json")).stdout)).toMatchObject({ total: 1 });
    expect((await run("verify")).stdout).toContain("1 hold is in quarantine");

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
