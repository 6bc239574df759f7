import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { providerDialect } from "../../support/provider-dialect.ts";
import type { StageKey } from "./ask.ts";
import type { Evidence } from "./evidence.ts";
import { countsOf, examine, violationsOf } from "./invariants.ts";
import { pingMs } from "./ping.ts";
import type { Gateway, Stage } from "./stage.ts";
import { join } from "./stories.ts";

/** The long run is the promise; the short one is for every change. */
export const LONG = process.env["TEST_LONG"] !== undefined;

const SERVES_AGAIN_MS = 30_000;
const IN_A_ROW = 20;
const QUEUED_MS = 1_000;
const BEFORE_ANOTHER_MS = 50;

/** Waits for rest, joins the witnesses, prints what was looked at, and fails with every violation. */
export async function expectSound(stage: Stage, scenario: string): Promise<void> {
  const restMs = await stage.untilNothingHeld();
  const evidence = await stage.evidence();
  const findings = examine(evidence);
  const hung = stage.clients.filter((client) => client.hung).length;
  console.log(`${scenario}: at rest after ${seconds(restMs)}; ${countsOf(findings)}; ${hung} hung`);
  const violations = violationsOf(findings);
  expect(violations, violations.join("; ")).toEqual([]);
  expect(strays(evidence), "calls that did not take the course of this run").toEqual([]);
  expect(hung).toBe(0);
}

/** Calls to a provider of another format than the run is about. */
const strays = (evidence: Evidence): string[] =>
  join(evidence).stories.flatMap(({ client: { marker, route }, calls }) =>
    calls.some(({ dialect }) => dialect !== providerDialect(route)) ? [`${marker}: ${route}`] : [],
  );

/** The operator's own check says the same; it is asked last, and nothing above depends on it. */
export async function expectVerified(stage: Stage): Promise<void> {
  const { code, stdout } = await stage.tollgate("ledger", "verify");
  console.log(`tollgate ledger verify: exit ${code}, ${stdout.trim().replaceAll(/\s+/g, " ")}`);
  expect(code).toBe(0);
}

/**
 * I11: soon after the last fault every process serves every request again, and none of them waits in a queue. Times are beyond those of a
 * health check of the same moment, since a busy machine makes everybody wait.
 */
export async function expectServing(stage: Stage, gateways: readonly Gateway[], key: StageKey): Promise<void> {
  const startedMs = performance.now();
  const each = await Promise.all(
    gateways.map(async (gateway) => {
      let [served, waitedMs] = [0, 0];
      while (served < IN_A_ROW && waitedMs < SERVES_AGAIN_MS) {
        const asked = stage.ask({ gateway, key, model: "fast" });
        const [{ status, sentAtMs, endedAtMs }, pinged] = await Promise.all([asked, pingMs(gateway)]);
        const longerMs = Math.max(0, endedAtMs - sentAtMs - pinged);
        served = status === 200 && longerMs < QUEUED_MS ? served + 1 : 0;
        if (served === 0) await sleep(BEFORE_ANOTHER_MS);
        waitedMs += longerMs + (served === 0 ? BEFORE_ANOTHER_MS : 0);
      }
      return served;
    }),
  );
  console.log(`I11: ${gateways.length} processes serve again after ${seconds(performance.now() - startedMs)}`);
  expect(each).toEqual(gateways.map(() => IN_A_ROW));
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
