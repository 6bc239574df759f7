import { expect, test } from "vitest";
import { readMigrations } from "../../src/db/migration-files.ts";

test("the migrations are numbered one after the other, none twice, and each says why it is there and what it locks", async () => {
  const files = await readMigrations(new URL("../../migrations", import.meta.url).pathname);
  const silent = files.filter(({ sql }) => !/^-- Why: /m.test(sql) || !/^-- Locks: /m.test(sql));
  expect(silent.map(({ name }) => name)).toEqual([]);
});
