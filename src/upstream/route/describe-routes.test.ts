import { expect, test } from "vitest";
import { describeRoutes } from "./describe-routes.ts";

const NOW_MS = 1_000_000;
const WELL = {
  provider: "acme",
  upstreamModel: "large",
  breaker: "closed" as const,
  successRate: 1,
  slowness: null,
  lastErrors: [{ reason: "server_error", status: 500, atMs: NOW_MS - 2_000 }],
};
const describe = (route: Partial<Parameters<typeof describeRoutes>[0][number]>): string[] =>
  describeRoutes([{ ...WELL, ...route }], NOW_MS);

test("a route that works is not told, whatever failed there once", () => {
  expect(describe({})).toEqual([]);
  expect(describe({ successRate: 0.81 })).toEqual([]);
});

test("a route that is skipped, fails or is slow is told with its model, its provider and the last reason", () => {
  expect(describe({ breaker: "open" })).toEqual([
    "The route to large at acme is skipped because its calls fail (server_error). Without another route, its requests get 502. GET /admin/v1/health/routes shows its last errors.",
  ]);
  expect(describe({ successRate: 0.5 })).toEqual([
    expect.stringMatching(/^50 % of the recent calls to large at acme fail \(server_error\)\. GET/),
  ]);
  expect(describe({ slowness: { beginsMs: 3_040, usualMs: 310 } })).toEqual([
    expect.stringMatching(/^Streams of large at acme begin after 3\.0 s, usually after 0\.3 s\./),
  ]);
});

test("a route that rested and that no request has tried since is told for a minute", () => {
  expect(describe({ breaker: "half_open" })).toHaveLength(1);
  expect(
    describe({
      breaker: "half_open",
      lastErrors: [{ ...WELL.lastErrors[0], reason: "x", status: null, atMs: 900_000 }],
    }),
  ).toEqual([]);
});

test("of many, five are told and the rest is counted", () => {
  const many = Array.from({ length: 9 }, () => ({ ...WELL, breaker: "open" as const }));

  expect(describeRoutes(many, NOW_MS)).toHaveLength(6);
  expect(describeRoutes(many, NOW_MS).at(-1)).toBe("So it is with 4 more.");
});
