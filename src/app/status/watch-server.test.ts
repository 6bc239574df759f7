import { afterEach, expect, test, vi } from "vitest";
import type { ServerFacts } from "../../core/server-facts.ts";
import { type ServerWatch, watchServer } from "./watch-server.ts";

const SOUND: ServerFacts = {
  role: "tollgate",
  pooled: false,
  sessionDefaults: { statementTimeoutMs: 0, idleTransactionTimeoutMs: 0, isolation: "read committed" },
  wanted: { statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 10_000 },
  storage: "own",
  fsync: true,
  fullPageWrites: true,
  clockAheadMs: 0,
  clockErrorMs: 1,
  certificates: [],
  readAtMs: Date.UTC(2026, 0, 1),
  replication: {
    synchronousCommit: "on",
    synchronousStandbyNames: "*",
    standbys: 1,
    synchronousStandbys: 1,
    candidates: 1,
  },
};
/** Within so long an operator hears of it. */
const WITHIN_MS = 5_000;
const LOST = { ...SOUND, replication: { ...SOUND.replication, standbys: 0, synchronousStandbys: 0, candidates: 0 } };

let watch: ServerWatch | null = null;
afterEach(async () => {
  await watch?.stop();
  vi.useRealTimers();
});

/** A server that says what the test has put there. */
function harness(first: ServerFacts | Error) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  const server = { says: first };
  const heard: (ServerFacts | null)[] = [];
  watch = watchServer({
    database: {
      connections: () => ({ most: 1, open: 1, idle: 1, waiting: 0 }),
      query: async () => [],
      inspect: async () => {
        if (server.says instanceof Error) throw server.says;
        return server.says;
      },
    },
    clock: { elapsedMs: () => performance.now() },
    onFacts: (facts) => heard.push(facts),
    onDisk: () => undefined,
  });
  return { server, heard, watch };
}

test("a lost standby is a concern from the next look on, and none once it is back", async () => {
  const { server, watch: made } = harness(SOUND);
  await vi.advanceTimersByTimeAsync(0);
  expect(made.concerns()).toEqual([]);

  server.says = LOST;
  await vi.advanceTimersByTimeAsync(WITHIN_MS);
  expect(made.concerns()).toEqual([expect.stringMatching(/every charge waits for one\. Start the standbys/)]);

  server.says = SOUND;
  await vi.advanceTimersByTimeAsync(WITHIN_MS);
  expect(made.concerns()).toEqual([]);
});

test("what the server said counts for a minute if it does not answer, and then nothing is known", async () => {
  const { server, heard, watch: made } = harness(LOST);
  await vi.advanceTimersByTimeAsync(0);
  server.says = new Error("away");

  await vi.advanceTimersByTimeAsync(57_000);
  expect([...new Set(heard)]).toEqual([LOST]);
  expect(made.concerns()).toHaveLength(1);

  await vi.advanceTimersByTimeAsync(3_000);
  expect(heard.at(-1)).toBeNull();
  expect(made.concerns()).toEqual([]);
});

test("a database inside this process has no server, which is never asked", () => {
  const none = () => {
    throw new Error("asked");
  };
  const made = watchServer({
    database: { connections: () => null, query: none, inspect: none },
    clock: { elapsedMs: () => 0 },
    onFacts: none,
    onDisk: none,
  });

  expect(made.concerns()).toEqual([]);
});

test("a clock that drifts is a concern, and one that only a slow answer puts in doubt is none", async () => {
  const { server, watch: made } = harness({ ...SOUND, clockAheadMs: 4_000, clockErrorMs: 3_500 });
  await vi.advanceTimersByTimeAsync(0);
  expect(made.concerns()).toEqual([]);

  server.says = { ...SOUND, clockAheadMs: -4_000, clockErrorMs: 20 };
  await vi.advanceTimersByTimeAsync(WITHIN_MS);
  expect(made.concerns()).toEqual([expect.stringContaining("clock is 4.0 s behind this machine's")]);
});
