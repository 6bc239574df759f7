import { expect, test } from "vitest";
import { createId } from "../core/ids.ts";
import { until } from "../../tests/support/until.ts";
import { createHearChanges } from "./hear-changes.ts";

function harness(unheardRefreshMs: number) {
  const log: string[] = [];
  const changes = createHearChanges({
    keyChanged: async (keyId) => void log.push(`key ${keyId}`),
    accountChanged: async (accountId) => void log.push(`account ${accountId}`),
    secretsMade: (keyId) => log.push(`secrets ${keyId}`),
    catalogueChanged: async () => void log.push("catalogue"),
    onGap: () => log.push("gap"),
    onHearing: ({ hears, staleMs }) => log.push(`hears ${hears} ${staleMs}`),
    unheardRefreshMs,
  });
  return { changes, log };
}

test("what is announced is looked at alone; after a gap everything is", async () => {
  const { changes, log } = harness(3_600_000);
  const [keyId, accountId] = [createId(1), createId(3)];
  changes.hears(true);
  changes.notified("something_else", createId(2));
  changes.notified("tollgate_keys", "no id");
  changes.notified("tollgate_keys", keyId);
  changes.notified("tollgate_catalogue", "");
  changes.notified("tollgate_accounts", "no id");
  changes.notified("tollgate_accounts", accountId);
  await until(() => log.length === 4, "the account and the catalogue are looked at");
  changes.refresh();
  await until(() => log.length === 8, "everything is looked at");

  expect(log).toEqual([
    `secrets ${keyId}`,
    `key ${keyId}`,
    `account ${accountId}`,
    "catalogue",
    "gap",
    "secrets null",
    "key null",
    "catalogue",
  ]);
  expect(changes.hearing()).toBe(true);
});

test("while nothing is heard, keys and models are looked at again and again, until something is", async () => {
  const { changes, log } = harness(1);
  changes.hears(false);
  expect(changes.hearing()).toBe(false);
  await until(() => log.filter((line) => line === "catalogue").length >= 12, "it looks");
  changes.hears(true);
  expect(changes.hearing()).toBe(true);

  expect(log[0]).toBe("hears false 1");
  expect(log.slice(1, 5)).toEqual(["key null", "catalogue", "key null", "catalogue"]);
  expect(log).toContain("secrets null");
  expect(log.at(-1)).toBe("hears true 1");
  const before = log.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(log).toHaveLength(before);
});
