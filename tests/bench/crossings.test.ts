import { expect, test } from "vitest";
import { type CrossingSlice, crossingsOf } from "./crossings.ts";
import { judge } from "./verdict.ts";

type Measured = [round: number, eventsPerSecond: number, cpuMicrosPerEvent: number, invalid?: string];

const slices = (provider: CrossingSlice["provider"], measured: Measured[]): CrossingSlice[] =>
  measured.map(([round, eventsPerSecond, cpuMicrosPerEvent, invalid = null]) => ({
    client: "chat",
    provider,
    round,
    eventsPerSecond,
    cpuMicrosPerEvent,
    invalid,
  }));

test("a translated stream is held against the relayed one of its round by the worse of rate and processor time", () => {
  const crossings = crossingsOf([
    ...slices("chat", [
      [1, 100, 10],
      [2, 200, 5],
      [3, 100, 10],
    ]),
    ...slices("messages", [
      [1, 60, 25],
      [2, 120, 12.5],
      [3, 10, 99, "core idle"],
    ]),
    ...slices("responses", [
      [1, 90, 11],
      [2, 180, 5.5],
      [3, 90, 11],
    ]),
  ]);

  expect(crossings.map(({ provider, ofRelayed }) => [provider, ofRelayed?.lower.toFixed(2)])).toEqual([
    ["chat", undefined],
    ["messages", "0.40"],
    ["responses", "0.90"],
  ]);
  expect(crossings[1]).toMatchObject({ valid: 2, total: 3 });
  expect(judge([], crossings).map(({ title, limit, met }) => [title, limit, met])).toEqual([
    ["streams, chat from messages, of relayed ones", 0.7, false],
    ["streams, chat from responses, of relayed ones", 0.7, true],
  ]);
});

test("without a relayed stream there is nothing to hold a translated one against", () => {
  expect(() => crossingsOf(slices("messages", [[1, 60, 25]]))).toThrow("no stream was relayed to callers of chat");
});
