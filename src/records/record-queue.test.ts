import { expect, test } from "vitest";
import type { RequestFacts } from "../core/request/request-facts.ts";
import { createReadClient } from "./agent-name.ts";
import { foldSeries } from "./fold-series.ts";
import { batchOf } from "./record-batch.ts";
import { createRecordQueue } from "./record-queue.ts";

const NOBODY = { client: null, agent: null };
const KEY = "018bcfe5-6800-7000-8000-00000000000a";

const refused = (keyId: string | null, more: Partial<RequestFacts> = {}): RequestFacts => ({
  requestId: "req_018bcfe5680070008000000000000001",
  keyId,
  accounts: [],
  route: "chat_completions",
  dialect: "chat",
  modelAsked: null,
  model: null,
  priceVersion: null,
  status: 429,
  code: "rate_limit_exceeded",
  outcome: null,
  streamed: false,
  replay: false,
  steps: {
    authenticated: null,
    read: null,
    checked: null,
    admitted: null,
    dispatched: null,
    first_byte: null,
    last_byte: null,
    settled: null,
    closed: 90,
  },
  providerUs: 0,
  attempts: null,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  held: null,
  charged: null,
  refusal: null,
  dropped: null,
  bytesOut: 0,
  traceId: null,
  ...more,
});

test("ten thousand refusals of a key are fifty records and one that counts the rest, and series count all", () => {
  const queue = createRecordQueue({ most: 1_000 });

  for (let at = 0; at < 10_000; at++) queue.add(refused(KEY, { modelAsked: `model-${at}` }), NOBODY);

  const taken = queue.take();
  expect(taken).toHaveLength(51);
  expect(taken.at(-1)?.times).toBe(9_950);
  expect(queue.dropped()).toBe(0);
  const sums = [...foldSeries(batchOf(taken).groups)].flat();
  expect(sums).toHaveLength(6);
  expect(new Set(sums.map(({ requests }) => requests))).toEqual(new Set([10_000]));
});

test("unknown keys share one allowance, and take nothing from those who have a key", () => {
  const queue = createRecordQueue({ most: 1_000 });

  for (let at = 0; at < 10_000; at++) queue.add(refused(null, { status: 401, code: "invalid_credentials" }), NOBODY);
  queue.add(refused(KEY), NOBODY);

  expect(queue.size()).toBe(52);
});

test("a full queue drops what comes and counts it once", () => {
  const queue = createRecordQueue({ most: 100 });

  for (let at = 0; at < 150; at++) queue.add(refused(KEY, { status: 200, code: null }), NOBODY);

  expect([queue.size(), queue.dropped(), queue.dropped()]).toEqual([100, 50, 0]);
  expect(queue.take()).toHaveLength(100);
  queue.add(refused(KEY), NOBODY);
  expect(queue.size()).toBe(1);
});

test("known agents have a name, and a long header is cut before it is kept", () => {
  const readClient = createReadClient();

  expect(readClient("claude-cli/2.0.1 (external, cli)")).toMatchObject({ agent: "Claude Code" });
  expect(readClient("codex_cli_rs/0.50.0 (Debian)")).toMatchObject({ agent: "Codex" });
  expect(readClient("AsyncOpenAI/Python 2.1.0")).toMatchObject({ agent: "OpenAI SDK (Python)" });
  expect(readClient("my-robot/1")).toEqual({ client: "my-robot/1", agent: null });
  expect(readClient(null)).toEqual(NOBODY);
  expect(readClient("x".repeat(16_384)).client).toHaveLength(120);
});
