import { expect, test } from "vitest";
import { crossingsOf } from "./crossings.ts";
import type { CrossingRound } from "./measure-crossings.ts";
import { missesAmong } from "./verdict.ts";

const SHARES = { proxy: 1, provider: 0, database: 0, generator: 0, othersOnProxyCore: 0, othersOnLoadCore: 0 };

const round = (provider: CrossingRound["provider"], eventsPerSecond: number, cpuMicrosPerEvent: number) => ({
  client: "chat" as const,
  provider,
  eventsPerStream: 100,
  eventsPerSecond,
  cpuMicrosPerEvent,
  shares: SHARES,
});

test("a translated stream is held against the relayed one by the worse of rate and processor time", () => {
  const crossings = crossingsOf([
    round("chat", 100, 10),
    round("chat", 80, 10),
    round("chat", 120, 10),
    round("messages", 60, 25),
    round("messages", 60, 25),
    round("messages", 90, 25),
    round("responses", 90, 11),
    round("responses", 90, 11),
  ]);

  expect(crossings.map(({ provider, ratio }) => [provider, ratio.toFixed(2)])).toEqual([
    ["chat", "1.00"],
    ["messages", "0.40"],
    ["responses", "0.90"],
  ]);
  expect(missesAmong(crossings)).toMatchObject([{ kind: "chat from messages", ratio: 0.4, least: 0.5 }]);
});

test("without a relayed stream there is nothing to hold a translated one against", () => {
  expect(() => crossingsOf([round("messages", 60, 25)])).toThrow("no stream was relayed to callers of chat");
});
