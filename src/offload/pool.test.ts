import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { ClientDialect } from "../core/request/dialect.ts";
import { payerNamed } from "../core/money/payer.ts";
import { Fault } from "../core/fault.ts";
import { processorMs } from "../../tests/support/processor-time.ts";
import { createPaperwork } from "./create-paperwork.ts";
import { giveWay } from "./give-way.ts";
import { createPool, type Pool, POOL_LIMITS, type PoolLimits } from "./pool.ts";

// A thread reads all its modules when it starts, and a busy machine takes its time over that.
vi.setConfig({ testTimeout: 120_000 });

/** A thread takes a while to start, so those that nothing happens to are used again. */
const lasting = createPool({ ...POOL_LIMITS, threads: 1 });
let pool: Pool | null = null;
afterEach(() => pool?.close());
afterAll(() => lasting.close());

const start = (limits: Partial<PoolLimits> = {}): Pool =>
  (pool = createPool({ ...POOL_LIMITS, threads: 1, ...limits }, () => 0));

const shared = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const memory = Buffer.from(new SharedArrayBuffer(bytes.length));
  bytes.copy(memory);
  return memory;
};

const arrived = (dialect: ClientDialect, body: unknown) => ({
  dialect,
  secret: "tgc_secret",
  keyId: "key",
  payer: payerNamed("key"),
  bytes: shared(JSON.stringify(body)),
  headers: {},
  betas: [],
  mediaUrls: "https" as const,
  maxDepth: 64,
});

const body = (content: string) => ({
  dialect: "chat" as const,
  bytes: shared(JSON.stringify({ messages: [{ role: "user", content }] })),
});
/** Of one word, with what stands around a message. */
const HELLO = { likely: 8, most: 48, mostPredicted: 0 };

/** A thread that has not counted yet loads its vocabulary first, on a busy machine slowly. */
const PATIENT_MS = 120_000;

const LONG = "A word, and another. ".repeat(20_000);
const CHAT = { model: "m", user: "ann", messages: [{ role: "user", content: LONG }] };
const MESSAGES = { model: "m", max_tokens: 9, metadata: { user_id: "ann" }, messages: CHAT.messages };
const RESPONSES = { model: "m", input: LONG, user: "ann" };
const ROUTE = { upstreamModel: "theirs", conformant: true };
const ORIGIN = { requestId: "req_1", createdAtSeconds: 1 };
const TOLD = { upstreamModel: "theirs", maxOutputTokens: 5 };

test.each<[ClientDialect, object]>([
  ["chat", CHAT],
  ["responses", RESPONSES],
  ["messages", MESSAGES],
])(
  "a large %s body comes to the same in a thread as it does here, at every step",
  async (dialect, body) => {
    const [here, there] = [createPaperwork(null), createPaperwork(lasting)];
    const task = arrived(dialect, body);

    const request = await here.readRequest(task);
    const { stamp, ...read } = await there.readRequest(task);
    expect(read).toEqual({ ...request, stamp: undefined });
    expect(stamp?.make("text")).toBe(request.stamp?.make("text"));
    expect(await there.estimateInput(request)).toEqual(await here.estimateInput(request));
    expect(await there.countInput(request)).toBe(await here.countInput(request));
    expect(await there.countText(request)).toBe(await here.countText(request));
    const repeated = { route: "r", version: "v", bytes: request.bytes, payer: payerNamed("key") };
    expect(await there.fingerprint(repeated)).toEqual(await here.fingerprint(repeated));
    for (const provider of ["chat", "responses", "messages"] as const) {
      const route = { ...ROUTE, dialect: provider };
      expect(await there.writeRequest(request, route, TOLD)).toEqual(await here.writeRequest(request, route, TOLD));
      const offer = { routes: [route, { ...route, dialect: "chat" as const }], reasoning: true };
      const [thereWay, hereWay] = [
        await there.groupRoutes(request, offer, "declared"),
        await here.groupRoutes(request, offer, "declared"),
      ];
      expect(thereWay.best).toEqual(hereWay.best);
      expect(thereWay.best.routes[0]).toBe(hereWay.best.routes[0]);
      expect(thereWay.others()).toEqual(hereWay.others());
    }
  },
  PATIENT_MS,
);

/** Of every thread of this process, as the kernel numbers them. */
const niceness = (): number[] =>
  readdirSync("/proc/self/task").map((id) => {
    const [, fields = ""] = readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ");
    return Number(fields.split(" ")[16]);
  });

test.skipIf(process.platform !== "linux")("threads give way to the main one", async () => {
  const own = getPriority();
  const before = niceness().filter((nice) => nice > own).length;
  await start().run("countTokens", { text: "some words" }, "key");

  expect(niceness().filter((nice) => nice > own).length).toBe(before + 1);
  expect(getPriority()).toBe(own);
});

test("a thread that may not change its priority works all the same", () => {
  const forbid = (): never => {
    throw new Error("EPERM: operation not permitted");
  };

  expect(() => giveWay(forbid)).not.toThrow();
});

test("a large count comes to the same in a thread", async () => {
  const [here, there] = [createPaperwork(null), createPaperwork(lasting)];
  const task = arrived("messages", { ...MESSAGES, temperature: 1 });

  const request = await here.readCountRequest(task);
  expect(await there.readCountRequest(task)).toEqual(request);
  const told = { upstreamModel: "theirs", members: { unknown: "drop", open: [] }, cloud: null } as const;
  const written = await there.writeCountRequest(request, told);
  expect(written).toEqual(await here.writeCountRequest(request, told));
  expect(written.toString()).not.toContain("temperature");
});

test("a large answer comes to the same in a thread", async () => {
  const [here, there] = [createPaperwork(null), createPaperwork(lasting)];
  const request = await here.readRequest(
    arrived("messages", { ...MESSAGES, messages: [{ role: "user", content: "a" }] }),
  );
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: LONG } }];
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const answer = JSON.stringify({ object: "chat.completion", choices, usage });
  const about = { request, route: { ...ROUTE, dialect: "chat" as const }, origin: ORIGIN };

  const plain = await there.readPlain(Buffer.from(answer), about);

  expect(plain).toEqual(await here.readPlain(Buffer.from(answer), about));
  expect(plain.usage).toMatchObject({ inputTokens: 1, outputTokens: 2 });
});

test("what is refused in a thread is the same refusal here", async () => {
  const task = arrived("chat", { ...CHAT, messages: [...CHAT.messages, { role: "nobody" }] });

  await expect(createPaperwork(lasting).readRequest(task)).rejects.toMatchObject({
    name: "Fault",
    code: "invalid_request",
    param: "messages.1.role",
    message: expect.stringContaining("Input should be"),
  });
});

test("a small body is read at once and starts no thread", () => {
  const none = { run: () => Promise.reject(new Error("a thread was asked")) };
  const body = { model: "m", messages: [{ role: "user", content: "hello" }] };

  expect(createPaperwork(none).readRequest(arrived("chat", body))).toMatchObject({ model: "m" });
});

test("handing over 32 MiB takes this thread no time", async () => {
  const there = createPaperwork(lasting);
  await there.readRequest(arrived("chat", CHAT));
  const task = arrived("chat", { ...CHAT, messages: [{ role: "user", content: "word ".repeat(6_500_000) }] });
  let reading: unknown;

  expect(processorMs(() => (reading = there.readRequest(task)))).toBeLessThan(10);
  await reading;
});

const REPEATED = { route: "r", version: "v", bytes: shared("hello") };

test("past the bound of those who wait the next is told to come again", async () => {
  const { run } = start({ waiting: { inAll: 1, ofOne: 1 } });
  const task = body(LONG);

  const first = run("estimateInput", task, "a");
  const second = run("estimateInput", task, "a");
  const refused = run("estimateInput", task, "b");

  await expect(refused).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 1 });
  expect(await first).toEqual(await second);
});

test("a bill is made though the threads have no time to count: its text is estimated", async () => {
  const there = createPaperwork(start({ waiting: { inAll: 0, ofOne: 0 } }));
  await expect(there.countTokens("one two three", payerNamed("a"))).resolves.toBe(3);
});

test("what must be charged is counted however many wait", async () => {
  const { run } = start({ waiting: { inAll: 1, ofOne: 1 } });
  const waiting = [run("fingerprint", REPEATED, "a"), run("fingerprint", REPEATED, "a")];

  expect(await run("countTokens", { text: "Five words of plain text." }, "a")).toBeGreaterThan(3);
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test("a job that takes too long loses its thread, and the next has another", async () => {
  const { run } = start({ deadlineMs: 1 });

  await expect(run("estimateInput", body(LONG.repeat(50)), "a")).rejects.toBeInstanceOf(Fault);
  await pool?.close();
  const patient = start();
  expect(await patient.run("estimateInput", body("hello"), "a")).toEqual(HELLO);
});

test("a task that cannot be sent to a thread is a bug of its own job alone", async () => {
  const { run } = start();

  await expect(run("estimateInput", { dialect: "chat", bytes: () => 1 } as never, "a")).rejects.toThrow(
    /could not be cloned/,
  );
  expect(await run("estimateInput", body("hello"), "a")).toEqual(HELLO);
});

test("a bug in a thread is told with the place it happened in, and the thread lives on", async () => {
  const { run } = start();

  await expect(run("estimateInput", {} as never, "a")).rejects.toMatchObject({
    stack: expect.stringContaining("model-input.ts"),
  });
  expect(await run("estimateInput", body("hello"), "a")).toEqual(HELLO);
});
