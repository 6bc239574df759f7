import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Database } from "../../db/database.ts";
import { createExamine } from "./create-examine.ts";

const CANARY = "canary-of-a-password";
let database: Database;
beforeAll(async () => {
  database = await emptyDatabase();
}, 180_000);
afterAll(() => database.close());

const examineWith = (environment: Record<string, string>, count = { models: 0 }) =>
  createExamine({
    config: loadConfig({ environment, readFile: noFile }).config,
    database,
    settingsFile: null,
    secretFiles: [],
    workers: 1,
    listModels: () => {
      count.models += 1;
      return Promise.resolve({ data: [], next: null });
    },
    health: () => ({ unready: [], failing: [], degraded: [] }),
    nowMs: Date.now,
  });

test("a process runs the checks that need no call to a provider or through the proxy", async () => {
  const { checks, ok } = await examineWith({
    DATABASE_URL: `postgres://u:${CANARY}@127.0.0.1:1/x`,
    TOLLGATE_ADMIN_TOKEN: CANARY,
  })();
  const ids = checks.map(({ id }) => id);

  expect(ok).toBe(false);
  expect(ids).toEqual(expect.arrayContaining(["settings-load", "host-node", "database-reachable", "catalogue-models"]));
  expect(ids.filter((id) => /^proxy-|^catalogue-(?:credentials|providers)/.test(id))).toEqual([]);
  expect(checks.find(({ id }) => id === "database-reachable")).toMatchObject({
    status: "failed",
    fix: expect.any(String),
  });
  expect(JSON.stringify(checks)).not.toContain(CANARY);
});

test("several who ask at once get one look", async () => {
  const count = { models: 0 };
  const examine = examineWith({}, count);
  const [one, other] = await Promise.all([examine(), examine()]);

  expect(one).toBe(other);
  expect(count.models).toBeLessThanOrEqual(1);
});

const noFile = (): never => {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
};
