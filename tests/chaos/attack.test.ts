import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ATTEMPTS } from "../attack/attempts/all.ts";
import { ALL_LANES, type Attempt } from "../attack/attempt.ts";
import { onFewerLanes } from "../attack/fewer-lanes.ts";
import { KNOWN } from "../attack/known.ts";
import { modelsOf } from "../attack/models.ts";
import { rowOf } from "../attack/row.ts";
import { BESIDE_OTHERS, runAttempt, SHORT } from "../attack/run.ts";
import { startStage, type Stage } from "../attack/stage.ts";
import { longestStretchHere } from "../support/stretch/stretches.ts";
import { whyUnavailable } from "../support/postgres.ts";

/** Those on other tenants that show most in little time. `npm run attack` runs all of them, and longer. */
const CROWDS = ["unknown keys", "bodies that never arrive", "abandoned requests", "30,000 tools across formats"];

/** Six processes, a database, and time for them to be calm. */
const START_TIMEOUT_MS = 180_000;

const chosen = process.env["TEST_LONG"] === "1" ? ATTEMPTS : onFewerLanes(ATTEMPTS);
const held = chosen.filter(({ name, long }) => long !== true && !KNOWN.has(name));
const named = (attempts: readonly Attempt[]) => attempts.map((attempt) => [attempt.name, attempt] as const);

describe.skipIf(whyUnavailable("15"))("a caller with a valid key", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage(modelsOf(held));
  }, START_TIMEOUT_MS);
  afterAll(() => stage.close());

  test.concurrent.each(named(held.filter(({ kind }) => kind !== "lockout")))(
    "gains nothing by this: %s",
    async (_name, attempt) => {
      const { failing } = rowOf(await runAttempt(stage, attempt, BESIDE_OTHERS), { p50Ms: 0, p99Ms: 0 });

      // As text, so that a run that fails says which lane gained what.
      expect(failing.join("; ")).toBe("");
    },
  );

  test.each(named(held.filter(({ name }) => CROWDS.includes(name))))(
    "has nobody else refused, and keeps the main thread to itself for no longer than it may: %s",
    async (_name, attempt) => {
      const { neighbour, stretchMs } = await runAttempt(stage, attempt, SHORT);

      expect(neighbour.refused).toBe(0);
      expect(stretchMs).toBeLessThanOrEqual(longestStretchHere());
    },
  );
});

test("every attempt that is known to succeed, or picked here, is one that is made", () => {
  const names = ATTEMPTS.map(({ name }) => name);

  expect([...KNOWN.keys(), ...CROWDS].filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(200);
});

test("on fewer lanes, every attempt is made by each format of callers that it is meant for, and every lane is taken", () => {
  const lanes = onFewerLanes(held).flatMap((attempt) => (attempt.kind === "price" ? attempt.lanes : []));
  const callersOf = (attempts: readonly Attempt[]) =>
    attempts.map((attempt) =>
      attempt.kind === "price" ? new Set(attempt.lanes.map(({ caller }) => caller)) : new Set(),
    );

  expect(callersOf(onFewerLanes(ATTEMPTS))).toEqual(callersOf(ATTEMPTS));
  expect(ALL_LANES.filter((lane) => !lanes.includes(lane))).toEqual([]);
});
