import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ADMIN_TOKEN,
  type Installation,
  PROVIDER_KEY,
  startInstallation,
} from "../../tests/support/doctor/installation.ts";
import { HOST_WAYS } from "../../tests/support/doctor/ways-to-break-host.ts";
import { SERVICE_WAYS } from "../../tests/support/doctor/ways-to-break-services.ts";
import { startPgbouncer, whyNoPgbouncer } from "../../tests/support/pgbouncer.ts";
import { poolerConfiguration } from "../../tests/support/pooler-page.ts";
import { whyUnavailable } from "../../tests/support/postgres.ts";
import { startStandbyOf } from "../../tests/support/postgres-standby.ts";
import { runTollgate } from "../../tests/support/run-tollgate.ts";
import type { CheckId } from "./check.ts";
import { CHECKS } from "./checks.ts";
import { judgeVersion } from "./checks/server-checks.ts";

const WAYS_TO_BREAK = [...HOST_WAYS, ...SERVICE_WAYS];
const reason = whyUnavailable("15");
const PAGE = new URL("../../docs/operate/doctor.md", import.meta.url);
/** Those have a test file of their own. */
const isOfProxy = (id: CheckId): boolean => id.startsWith("proxy-");
const SECRETS = new RegExp(`${PROVIDER_KEY}|${ADMIN_TOKEN}|sk-revoked`);

describe.skipIf(reason !== null)(`tollgate doctor${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation?.close());

  test("finds nothing to mend in an installation by the book", async () => {
    const { ok, checks } = await installation.examine({});

    const looked = checks.filter(({ id }) => !isOfProxy(id));
    expect(looked.filter(({ status }) => status !== "ok").map(({ id, status }) => `${id} ${status}`)).toEqual([
      // The serving role may not see where the data lies.
      "database-disk skipped",
    ]);
    expect(ok).toBe(true);
    expect(new Set(checks.map(({ id }) => id))).toEqual(new Set(CHECKS.map(({ id }) => id)));
  });

  test.each(WAYS_TO_BREAK)("says what is wrong and how to fix it after breaking $breaks", async (way) => {
    const { expected, sql, undo, ...change } = way;
    await installation.run(sql);
    const examined = await Promise.allSettled([installation.examine(change, expected.id)]);
    await installation.run(undo);
    const checks = examined.flatMap((one) => (one.status === "fulfilled" ? one.value.checks : []));

    const lines = checks.filter(({ id, status }) => id === expected.id && status === expected.status);
    expect(lines.length, JSON.stringify(checks)).toBeGreaterThan(0);
    expect(lines.map(({ message }) => message).join("\n")).toMatch(new RegExp(expected.message.source, "m"));
    expect(lines[0]?.fix).toMatch(expected.fix);
    expect(JSON.stringify(checks)).not.toMatch(SECRETS);
  });

  test("skips what the server does not tell the role, and fails nothing for it", async () => {
    await installation.run(["revoke select on pg_stat_replication, pg_roles from public"]);
    const examined = await Promise.allSettled([installation.examine({})]);
    await installation.run(["grant select on pg_stat_replication, pg_roles to public"]);
    const [report] = examined.map((one) => (one.status === "fulfilled" ? one.value : null));

    const skipped = report?.checks.filter(({ id, status }) => id.startsWith("database-") && status === "skipped");
    expect(Object.fromEntries(skipped?.map(({ id, message }) => [id, message]) ?? [])).toMatchObject({
      "database-standby": expect.stringContaining("does not show its standbys to tollgate") as string,
      "database-version": expect.stringContaining("permission denied for view pg_roles") as string,
    });
    expect(report?.checks.filter(({ status }) => status === "failed")).toEqual([]);
  });

  test("every check is broken by a row of the table or by a test of this file", () => {
    const elsewhere: CheckId[] = ["database-version", "database-listen"];

    const broken = [...WAYS_TO_BREAK.map(({ expected }) => expected.id), ...elsewhere];
    const ours = CHECKS.map(({ id }) => id).filter((id) => !isOfProxy(id));
    expect(new Set(broken)).toEqual(new Set(ours));
  });

  test("rejects a server that is too old", () => {
    expect(judgeVersion({ version: "14.9", versionNumber: 140_009 })).toMatchObject({
      status: "failed",
      message: "14.9; 15 or newer is needed",
    });
    expect(judgeVersion({ version: "18.1", versionNumber: 180_001 })).toMatchObject({ status: "ok" });
  });

  test("tells a replica from a primary, and skips what cannot be checked there", async (context) => {
    const missing = whyUnavailable("15", "pg_basebackup");
    context.skip(missing !== null, missing ?? "");
    const standby = await startStandbyOf(installation.roles.cluster);
    try {
      const { ok, checks } = await installation.examine({ url: () => standby.url("tollgate") });

      expect(ok).toBe(false);
      expect(checks.find(({ id }) => id === "database-reachable")).toMatchObject({
        status: "failed",
        message: `no server accepts writes: 127.0.0.1:${standby.port} (standby)`,
        fix: "Promote the standby, or correct database.url to name the primary.",
      });
      const onLedger = checks.filter(({ id }) => id.startsWith("ledger-"));
      expect(onLedger.map(({ status, message }) => `${status}: ${message}`)).toEqual(
        Array(4).fill('skipped: needs "connection"'),
      );
    } finally {
      await standby.close();
    }
  });

  test.skipIf(whyNoPgbouncer() !== null)(
    "finds a pooler that does not deliver notifications, and a role without timeouts behind it",
    async () => {
      await installation.run(["alter role tollgate password 'for-tests'"]);
      const serverPort = installation.roles.cluster.port;
      const pooler = await startPgbouncer({
        configuration: (place) => poolerConfiguration({ ...place, serverPort, database: "tollgate" }),
        users: { tollgate: "for-tests" },
      });
      try {
        const url = (): string => `postgres://tollgate:for-tests@127.0.0.1:${pooler.port}/tollgate`;
        const { checks } = await installation.examine({ url });

        expect(checks.find(({ id }) => id === "database-listen")).toMatchObject({
          status: "warning",
          message: "do not arrive through database.url: is it a pooler?",
          fix: expect.stringMatching(/database\.direct_url/) as string,
        });
        expect(checks.find(({ id }) => id === "database-sessions")).toMatchObject({
          status: "warning",
          message: expect.stringMatching(/calls go through a pooler/) as string,
        });
        expect(JSON.stringify(checks)).not.toContain("for-tests");
      } finally {
        await pooler.close();
      }
    },
  );

  test("the command of the page prints the report, and its exit code says whether a check failed", async () => {
    const [, command = ""] = /```sh\ntollgate (doctor [^\n]*)\n```/.exec(readFileSync(PAGE, "utf8")) ?? [];
    const env = {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: installation.roles.url("tollgate"),
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      ACME_KEY: PROVIDER_KEY,
      // As few as any machine allows, and any has more memory than this.
      TOLLGATE_LIMITS_CONNECTIONS: "100",
      TOLLGATE_LIMITS_OPEN_REQUESTS: "100",
      TOLLGATE_LIMITS_BODY_BUDGET_BYTES: "1048576",
    };
    const run = (words: readonly string[], rest: Record<string, string> = {}) =>
      runTollgate(words, { cwd: installation.folder, env: { ...env, ...rest } });

    const well = await run(command.split(" "));
    expect(well).toMatchObject({ code: 0, stderr: "" });
    expect(well.stdout).toMatch(/^ {2}ok {4}role and grants {4}tollgate, with the rights of a serving role$/m);
    expect(well.stdout).toMatch(/(All is well|No check failed): .*\d+ ok, \d+ skipped\.\n$/);

    const broken = await run(["doctor", "--json"], { ACME_KEY: "" });
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject({
      ok: false,
      counts: { failed: 1 },
      checks: expect.arrayContaining([
        expect.objectContaining({ id: "catalogue-credentials", status: "failed" }),
      ]) as object[],
    });

    expect(await run(["doctor", "--workers", "none"])).toMatchObject({ code: 2, stdout: "" });
    expect(well.stdout + broken.stdout).not.toMatch(SECRETS);
  });
});
