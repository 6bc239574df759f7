import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { sharedFolder } from "../../tests/support/recordings.ts";
import { readPriceList, type Selection } from "./price-list/read-price-list.ts";
import { listAgeDays, readShippedList } from "./shipped-list.ts";

const FOLDER = join(import.meta.dirname, "../../prices");
const ONE = { digits: 1n, exponent: 0 };
const selection: Selection = {
  vendor: "*",
  match: "*",
  exchange: { markup: ONE, creditUsd: ONE },
  carry: { free: true, dearest: true },
};

test("the shipped list is dated, small, and has only models that an import can take", () => {
  const { text, date } = readShippedList();
  const { models, skipped, refused } = readPriceList(text, "list", selection);
  const { models: counted } = JSON.parse(readFileSync(join(FOLDER, "litellm.source.json"), "utf8")) as {
    models: number;
  };

  expect(Date.parse(date)).toBeGreaterThan(Date.parse("2026-01-01"));
  expect(statSync(join(FOLDER, "litellm.json")).size).toBeLessThan(600_000);
  expect({ models: models.length, skipped, refused }).toEqual({ models: counted, skipped: [], refused: [] });
});

test("a shipped list that was changed is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-list-"));
  try {
    cpSync(FOLDER, folder, { recursive: true });
    const list = join(folder, "litellm.json");
    writeFileSync(list, readFileSync(list, "utf8").replace("1.25e-05", "1.25e-06"));

    expect(() => readShippedList(pathToFileURL(`${folder}/`))).toThrow("install the package again");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the age of a list is in whole days, and never below 0", () => {
  const at = (moment: string) => listAgeDays("2026-08-01", Date.parse(moment));

  expect([at("2026-09-15T23:59:59Z"), at("2026-09-16T00:00:00Z"), at("2026-07-01T00:00:00Z")]).toEqual([45, 46, 0]);
});

const file = join(sharedFolder() ?? "", "data/litellm-model-prices.json");

test
  .skipIf(!existsSync(file))
  .each([[{ free: false, dearest: false }], [{ free: true, dearest: false }], [{ free: true, dearest: true }]])(
  "the shipped list gives what the whole list gives: %j",
  (carry) => {
    const whole = readPriceList(readFileSync(file, "utf8"), file, { ...selection, carry });
    const shipped = readPriceList(readShippedList().text, "list", { ...selection, carry });

    expect(shipped.models).toEqual(whole.models);
    expect(shipped.leftOut).toEqual(whole.leftOut);
  },
);
