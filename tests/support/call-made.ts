import type { CallMade } from "../../src/telemetry/request-line.ts";

/** A call to `route-<number>` of a provider that was answered at once, as telemetry is told of it. */
export const calledAt = (provider: string, number: number): CallMade => ({
  route: {
    id: `route-${number}`,
    provider,
    dialect: "chat",
    upstreamModel: "large",
    baseUrl: `https://${provider}.example/v1`,
    region: "eu",
  },
  number,
  status: 200,
  failure: null,
  waitedMs: 0,
});
