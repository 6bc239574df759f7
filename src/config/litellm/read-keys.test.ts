import { expect, test } from "vitest";
import { readLitellmKeys } from "./read-keys.ts";

const ONE = { digits: 1n, exponent: 0 };
const terms = {
  path: "keys.jsonl",
  exchange: { markup: ONE, creditUsd: ONE },
  nowMs: Date.parse("2027-01-01T00:00:00Z"),
};
const token = (at: number): string => String(at).padStart(64, "0");
const read = (...rows: object[]) => readLitellmKeys(rows.map((row) => JSON.stringify(row)).join("\n"), terms);

test("a key is taken over with its label, models, rate, expiry and what is left of its budget, exactly", () => {
  const row = {
    key_alias: "ci",
    models: ["gpt"],
    rpm_limit: 60,
    expires: "2027-06-01T00:00:00",
    max_budget: 10.3,
    spend: 0.1,
  };

  expect(read({ token: token(1), ...row }).keys).toEqual([
    {
      source: "keys.jsonl:1",
      digest: token(1),
      label: "ci",
      models: ["gpt"],
      rpmLimit: 60,
      expiresAtMs: Date.parse("2027-06-01T00:00:00Z"),
      creditNano: 10_200_000_000n,
      notes: [],
    },
  ]);
});

test("an overspent budget leaves nothing, no budget is no credit, and no or all models is every model", () => {
  const { keys } = read(
    { token: token(1), max_budget: 1, spend: 1.5 },
    { token: token(2), max_budget: null, spend: 4, models: [] },
    { token: token(3), models: ["all-proxy-models"], rpm_limit: 0 },
  );

  expect(keys.map(({ creditNano }) => creditNano)).toEqual([0n, null, null]);
  expect(keys.map(({ models, rpmLimit }) => models ?? rpmLimit)).toEqual([null, null, null]);
});

test("what is not carried over is named, and what must not be taken over is skipped with the reason", () => {
  const { keys, skipped } = read(
    { token: token(1), tpm_limit: 5, team_id: "t", aliases: {}, max_budget: 1, budget_duration: "30d" },
    { token: token(2), blocked: true },
    { token: token(3), expires: "2026-12-31T00:00:00+00:00" },
    { token: "sk-plain" },
    { token: token(1) },
    { token: token(6), models: ["all-team-models"] },
  );

  expect(keys[0]?.notes.map((note) => note.split(":")[0])).toEqual(["tpm_limit", "team_id", "budget_duration"]);
  expect(skipped.map(({ source, reason }) => `${source} ${reason.slice(0, 20)}`)).toEqual([
    "keys.jsonl:2 it is blocked",
    "keys.jsonl:3 it expired on 2026-1",
    "keys.jsonl:4 its token is a secre",
    "keys.jsonl:5 the same key stands ",
    "keys.jsonl:6 it may use the model",
  ]);
  expect(JSON.stringify(skipped)).not.toContain("sk-plain");
});

test("a budget of a team, of a model or with a duration comes with the command that sets one here", () => {
  const { keys } = read({
    token: token(1),
    team_id: "t",
    model_max_budget: { m: 1 },
    max_budget: 1,
    budget_duration: "30d",
  });

  expect(keys[0]?.notes).toHaveLength(3);
  for (const note of keys[0]?.notes ?? []) expect(note).toContain("tollgate accounts limit");
});

test("a line that is not JSON is named, and a file without keys is refused", () => {
  expect(() => readLitellmKeys('{"token":"x"}\n{', terms)).toThrow("keys.jsonl:2");
  expect(() => readLitellmKeys("\n", terms)).toThrow("no keys");
});
