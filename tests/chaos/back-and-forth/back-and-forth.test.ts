import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../support/postgres.ts";
import { MAIN } from "../../support/run-tollgate.ts";
import { expectSound, expectVerified } from "../ledger/report.ts";
import { type Stage, startStage } from "../ledger/stage.ts";
import { PATIENT } from "../rolling-update/roll.ts";
import { goBackAndForth } from "./go-back-and-forth.ts";
import { type LaterVersion, makeLaterVersion } from "./later-version.ts";

const ANSWERS = 12;

const unavailable = whyUnavailable("15");
let cluster: Cluster;
let stage: Stage;
let later: LaterVersion;

beforeAll(async () => {
  if (unavailable !== null) return;
  [cluster, later] = await Promise.all([startCluster({ durable: false }), makeLaterVersion()]);
  stage = await startStage({ cluster, settings: { ...PATIENT, TOLLGATE_DRAIN_DELAY_MS: "200" } });
});
afterAll(async () => {
  await stage?.close();
  await cluster?.close();
  await later?.[Symbol.asyncDispose]();
});

test.skipIf(unavailable !== null)(
  `this version, a later one, this one again on the later schema, and the later one: no request fails${unavailable === null ? "" : ` (skipped: ${unavailable})`}`,
  async () => {
    const went = await goBackAndForth({
      stage,
      versions: { older: MAIN, newer: later },
      callers: 6,
      rounds: 1,
      answers: ANSWERS,
    });

    console.log(`${went.requests} requests, ${went.cut} attempts cut by the kill; ${JSON.stringify(went.answers)}`);
    expect(went.failed).toEqual([]);
    // Otherwise nothing was tried of the kill, or of a version on the other's schema.
    expect(went.cut).toBeGreaterThan(0);
    expect(Math.min(...Object.values(went.answers))).toBeGreaterThan(0);
    expect(went.codes.filter((code) => code !== 0)).toEqual([]);
    const newer = `The database is newer than this program: it has ${later.migration}. Nothing was changed. This program can serve with it.`;
    for (const step of ["older migrates", "older starts again"])
      expect(went.said.find((one) => one.step === step)?.text).toContain(newer);
    await expectSound(stage, "back and forth");
    await expectVerified(stage);
  },
);
