import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import type { Clock } from "../../core/clock.ts";
import { createLogger, type LogLevel } from "./logger.ts";

const CANARY = "Canary0f7d2c9a41b8e6";

function recording(level: LogLevel = "debug") {
  const lines: string[] = [];
  const time = { nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
  const clock: Clock = { nowMs: () => time.nowMs, elapsedMs: () => 0 };
  return {
    lines,
    time,
    logger: createLogger({ level, clock, destination: { write: (line) => void lines.push(line) } }),
  };
}

test("a line is one JSON object with level, time, process and message first", () => {
  const { lines, logger } = recording();

  logger.info({ answer: 42 }, 'said\n"so"');
  logger.warn({}, "empty");

  expect(lines[0]).toMatch(/^\{"level":"info","time":"2026-01-02T03:04:05\.006Z","pid":\d+,"msg":.*\}\n$/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: 'said\n"so"', answer: 42 });
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ level: "warn", msg: "empty" });
});

test("the time of every line is true, within a second, across it, and when the clock is set back", () => {
  const { lines, time, logger } = recording();
  const startMs = time.nowMs;

  for (const offsetMs of [0, 5, 993, 994, 60_000, -5000, -4999.5]) {
    time.nowMs = startMs + offsetMs;
    logger.info({}, "tick");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ time: new Date(Math.floor(time.nowMs)).toISOString() });
  }
});

test("lines below the level are not written", () => {
  const { lines, logger } = recording("warn");

  logger.debug({}, "no");
  logger.info({}, "no");
  logger.warn({}, "yes");
  logger.error({}, "yes");

  expect(lines).toHaveLength(2);
  const silent = recording("silent");
  silent.logger.error({}, "no");
  expect(silent.lines).toHaveLength(0);
});

test("a secret reaches no line, wherever it is put", () => {
  const { lines, logger } = recording();

  logger.error(
    { headers: { authorization: `Bearer ${CANARY}`, "x-api-key": CANARY }, deep: { list: [`sk-${CANARY}`] } },
    `tgc_0a1${CANARY}`,
  );
  logger.info({ url: `postgres://u:${CANARY}@db/x`, [`tgt_0a1${CANARY}`]: 1 }, "key");

  expect(lines).toHaveLength(2);
  expect(lines.join("")).not.toContain(CANARY);
  for (const line of lines) JSON.parse(line);
});

test("fields that cannot be written as JSON do not fail the caller", () => {
  const { lines, logger } = recording();
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;

  logger.info(circular, "circular");
  logger.info({ big: 1n }, "bigint");

  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(["circular", "bigint"]);
});

/** A process that writes three lines to its real output and then does `ending`. */
const programThat = (ending: string): string[] => {
  const module = JSON.stringify(new URL("logger.ts", import.meta.url).href);
  const program = `
    import { createLogger } from ${module};
    let dropped = 0;
    const clock = { nowMs: () => 0, elapsedMs: () => 0 };
    const logger = createLogger({ level: "info", clock, lineDropped: () => { dropped++; } });
    for (let index = 0; index < 3; index++) logger.info({ index }, "last words");
    ${ending}
  `;
  return ["--input-type=module", "-e", program];
};

test("lines still buffered when the process exits are written", () => {
  const output = execFileSync(process.execPath, programThat("setImmediate(() => process.exit(0));"), {
    encoding: "utf8",
  });

  expect(output.trim().split("\n")).toHaveLength(3);
});

test.skipIf(!existsSync("/dev/full")).each(["process.exit(0)", "clearInterval(timer)"])(
  "an output that cannot be written is counted, ends nothing and holds up no exit (%s)",
  (leave) => {
    const full = openSync("/dev/full", "w");
    const ending = `const timer = setInterval(() => { if (dropped > 1) { logger.close().then(() => { ${leave}; }); } }, 5);`;

    const { status, stderr } = spawnSync(process.execPath, programThat(ending), {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
      timeout: 120_000,
    });

    closeSync(full);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  },
);

test.skipIf(!existsSync("/dev/full"))(
  "every line that no longer fits is counted, however many are handed on together",
  () => {
    const full = openSync("/dev/full", "w");
    const [lines, characters, waiting] = [20_000, 1_000, 16_777_216];
    const ending = `
    const text = "x".repeat(${characters});
    for (let index = 0; index < ${lines}; index++) logger.info({ text }, "too much");
    const overflowed = dropped;
    setInterval(() => { if (dropped > overflowed) { console.error(overflowed); process.exit(0); } }, 5);`;

    const { stderr } = spawnSync(process.execPath, programThat(ending), {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
      timeout: 120_000,
    });

    closeSync(full);
    expect(Number(stderr)).toBeGreaterThan(lines - waiting / characters);
  },
);
