import { expect, test } from "vitest";
import {
  backSeconds,
  countStatuses,
  countStreams,
  outageSeconds,
  refusedSeconds,
  secondsOf,
} from "../chaos/patroni/figures.ts";
import { blocksOf, readBlocks, valueOf, withValues, withWords } from "../chaos/patroni/page-blocks.ts";
import type { Entry } from "../chaos/patroni/stage.ts";

const entry = (about: Partial<Entry>): Entry =>
  ({ status: 200, sentAtMs: 0, terminalAtMs: null, code: null, ...about }) as Entry;

test("the page on high availability has every block of configuration that the run with Patroni uses", () => {
  const blocks = readBlocks();

  expect(valueOf(blocks.patroni, "bootstrap.dcs.ttl")).toBe("20");
  expect(valueOf(blocks.hosts, "database.url")).toContain("db1:5432,db2:5432,db3:5432");
  expect(valueOf(blocks.pooled, "database.direct_url")).toContain("db1:5432,db2:5432,db3:5432");
  expect(blocks.sql).toContain("create database tollgate owner tollgate;");
});

test("a block that is missing, and a place in one that is, are errors and not defaults", () => {
  expect(() => blocksOf("```yaml\nname: db1\n```\n")).toThrow("no block on the page begins with");
  expect(() => withValues("one: { two: 2 }", { "one.three": 3 })).toThrow("the page has no one.three");
  expect(() => withWords("port=5000", { "port=6000": "" })).toThrow('the page has no "port=6000"');
  expect(withValues("one: { two: 2 }", { "one.two": 3 })).toContain("two: 3");
});

test("seconds of 503 run from the first refusal after the fault to the last", () => {
  const entries = [
    entry({ status: 503, sentAtMs: 500 }),
    entry({ status: 503, sentAtMs: 2_000 }),
    entry({ status: 200, sentAtMs: 3_000 }),
    entry({ status: 503, sentAtMs: 4_500 }),
  ];

  expect(refusedSeconds({ entries, faultAtMs: 1_000 })).toBe(2.5);
  expect(refusedSeconds({ entries: [], faultAtMs: 0 })).toBe(0);
});

test("every second of the time line is there, and every request in its second", () => {
  const entries = [
    entry({ sentAtMs: 500 }),
    entry({ status: 503, sentAtMs: 1_200 }),
    entry({ status: null, sentAtMs: 1_300 }),
    entry({ sentAtMs: 3_100 }),
  ];

  expect(secondsOf({ entries, faultAtMs: 1_000 })).toEqual([
    { second: -1, answered: 1, refused: 0, other: 0 },
    { second: 0, answered: 0, refused: 1, other: 1 },
    { second: 1, answered: 0, refused: 0, other: 0 },
    { second: 2, answered: 1, refused: 0, other: 0 },
  ]);
  expect(countStatuses(entries)).toEqual({ answered: 2, refused: 1, other: { none: 1 } });
});

test("an outage is the seconds in which more was refused than answered, and not a refusal long after", () => {
  const seconds = [
    { second: -1, answered: 0, refused: 9, other: 0 },
    { second: 0, answered: 2, refused: 9, other: 0 },
    { second: 1, answered: 9, refused: 2, other: 0 },
  ];

  expect(outageSeconds({ seconds })).toBe(1);
});

test("how long the servers took to come back counts from the last thing that was done", () => {
  const marks = [
    { second: 0, what: "killed" },
    { second: 22.5, what: "restarted" },
    { second: 40, what: "all replicate" },
  ];

  expect(backSeconds({ marks })).toBe(17.5);
  expect(backSeconds({ marks: marks.slice(0, 2) })).toBeNull();
});

test("a stream that neither came to its end nor said why is told from both", () => {
  const entries = [entry({ terminalAtMs: 1 }), entry({ code: "service_unavailable" }), entry({})];

  expect(countStreams(entries)).toEqual({ survived: 1, errored: 1, silent: 1 });
});
