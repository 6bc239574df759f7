import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import type { RouteReading } from "./route-gauges.ts";

const READING: RouteReading = {
  routeId: "r1",
  provider: "east",
  upstreamModel: "m-1",
  breaker: "open",
  successRate: 0.25,
  firstByteMs: 120,
  slowness: { beginsMs: 3_000, usualMs: 300 },
  tokensPerSecond: null,
  callsInProgress: 3,
};

test("a route is seen as it is at each scrape, and one that is gone leaves no series", async () => {
  const metrics = createMetrics();
  let routes = [READING];
  metrics.watchRoutes(() => routes);

  const { text } = await metrics.expose();
  expect(text).toContain('tollgate_route_breaker{provider="east",upstream_model="m-1",route="r1"} 2');
  expect(text).toContain('tollgate_route_success_ratio{provider="east",upstream_model="m-1",route="r1"} 0.25');
  expect(text).toContain('tollgate_route_first_byte_seconds{provider="east",upstream_model="m-1",route="r1"} 0.12');
  expect(text).toContain('tollgate_route_calls_in_progress{provider="east",upstream_model="m-1",route="r1"} 3');
  expect(text).toContain('tollgate_route_slow{provider="east",upstream_model="m-1",route="r1"} 1');
  expect(text).not.toMatch(/tollgate_route_tokens_per_second\{/);

  routes = [];
  expect((await metrics.expose()).text).not.toContain('route="r1"');
});

test("a thousand routes are a hundred series of each kind", async () => {
  const metrics = createMetrics();
  metrics.watchRoutes(() => Array.from({ length: 1_000 }, (_, index) => ({ ...READING, routeId: `r${index}` })));

  expect((await metrics.expose()).text.match(/^tollgate_route_breaker\{/gm)).toHaveLength(100);
});
