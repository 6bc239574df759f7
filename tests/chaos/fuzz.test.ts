import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fuzz } from "../fuzz/fuzz.ts";
import { type FuzzCase, ORDINARY } from "../fuzz/fuzz-case.ts";
import { createJudge } from "../fuzz/judge.ts";
import { markerOf } from "../fuzz/marker.ts";
import { createPlayer, type Played, type Player } from "../fuzz/play-case.ts";
import { RAW_CASES, SLOW_CASES } from "../fuzz/raw-cases.ts";
import { type FuzzStage, startFuzzStage } from "../fuzz/stage.ts";
import { vitalProblems } from "../fuzz/vital-signs.ts";
import { whyUnavailable } from "../support/postgres.ts";

/** What is refused before a provider is asked is refused alike on every course, so half is enough for what is not. */
const SHORT_REQUESTS = 3_000;
const REQUESTS = process.env["TEST_LONG"] === "1" ? 20_000 : SHORT_REQUESTS;
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const DEADLINE_MS = 20_000;

describe.skipIf(whyUnavailable("15"))("a gateway that is sent anything", () => {
  let stage: FuzzStage;
  let player: Player;
  beforeAll(async () => {
    stage = await startFuzzStage();
    player = createPlayer({ ...stage, deadlineMs: DEADLINE_MS });
  });
  afterAll(async () => {
    player.close();
    await stage.close();
  });

  test.each(RAW_CASES.map((fuzzCase) => [fuzzCase.lane, fuzzCase] as const))(
    "answers or hangs up as HTTP asks it to: %s",
    async (_name, fuzzCase) => {
      expect(createJudge()(fuzzCase, await player.play(fuzzCase))).toEqual([]);
    },
  );

  test("waits for slow callers no longer than it says, and keeps no connection of theirs", async () => {
    const judge = createJudge();
    const played = await Promise.all(SLOW_CASES.map(async (slow) => judge(slow, await player.play(slow))));

    expect(played.flat()).toEqual([]);
    expect(await vitalProblems(stage)).toEqual([]);
  });

  test(
    `after ${REQUESTS} hostile requests it lives, owes nobody an answer, holds no money, and nobody saw a 5xx or what another sent`,
    { timeout: 900_000 },
    async () => {
      const report = await fuzz({ stage, seed: SEED, requests: REQUESTS, progress: () => undefined });
      console.log(
        `${report.tally.table()}\n${report.requests} requests in ${report.seconds.toFixed(0)} s, seed ${SEED}`,
      );

      expect(report.failures.map(({ fuzzCase, problems }) => [fuzzCase.lane, fuzzCase.route, ...problems])).toEqual([]);
      expect(report.vital).toEqual([]);
      expect(report.requests).toBeGreaterThanOrEqual(REQUESTS);
    },
  );
});

describe("the judge sees", () => {
  const marker = markerOf(1);
  const id = "req_0123456789abcdef0123456789abcdef";
  const said = (
    body: string,
    over: { status?: number; id?: string; requestId?: string; type?: string } = {},
  ): Played => ({
    marker,
    end: "answered",
    broken: null,
    ms: 1,
    answers: [
      {
        status: over.status ?? 200,
        headers: new Map([
          ["x-request-id", [over.id ?? id]],
          ["request-id", [over.requestId ?? over.id ?? id]],
          ["content-type", [over.type ?? "application/json"]],
        ]),
        body: Buffer.from(body),
        rest: Buffer.alloc(0),
      },
    ],
  });
  const envelope = JSON.stringify({ error: { message: "m", type: "t", code: "c", param: null, request_id: id } });
  const asked: FuzzCase = {
    lane: "any",
    route: "chat",
    steps: [],
    connection: "fresh",
    expects: { ...ORDINARY, statuses: [200, 400, 500], format: "A" },
  };
  const problems = (played: Played, expects: Partial<FuzzCase["expects"]> = {}): string =>
    createJudge()({ ...asked, expects: { ...asked.expects, ...expects } }, played).join("; ");

  test("nothing wrong with what is right", () => {
    expect(problems(said(`{"said":"${marker}"}`), { echo: "demanded" })).toBe("");
    expect(problems(said(envelope, { status: 400 }))).toBe("");
  });

  test.each<[string, Played, Partial<FuzzCase["expects"]>, RegExp]>([
    ["a status that is not listed", said(envelope, { status: 500 }), { statuses: [200, 400] }, /status 500/],
    ["another request's marker", said(`{"said":"${markerOf(2)}"}`), {}, /what another request sent/],
    ["its own marker missing", said("{}"), { echo: "demanded" }, /does not hold/],
    ["an envelope of the other format", said(envelope, { status: 400 }), { format: "B" }, /envelope of format B/],
    ["a body that is no envelope", said("oops", { status: 400 }), {}, /no envelope/],
    ["two ids that differ", said("{}", { requestId: "req_1" }), {}, /request-id is not/],
    ["an id the caller chose", said("{}", { id: "mine" }), {}, /is not ours/],
    ["a refusal that repeats a mebibyte", said("x".repeat(1_048_576), { status: 400 }), {}, /refusal of 1048576 bytes/],
    ["a stream that breaks off", said("data: {}\n\n", { type: "text/event-stream" }), {}, /stream without its end/],
    ["silence", { ...said(""), answers: [], end: "closed" }, {}, /without an answer/],
    ["a hang", { ...said(""), answers: [], end: "hung" }, { silence: "allowed" }, /no end within the deadline/],
  ])("%s", (_name, played, expects, words) => {
    expect(problems(played, expects)).toMatch(words);
  });

  test("an id that comes twice", () => {
    const judge = createJudge();

    expect(judge(asked, said("{}"))).toEqual([]);
    expect(judge(asked, said("{}"))).toEqual([`${id} was the id of another answer`]);
  });
});
