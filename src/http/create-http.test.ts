import { expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import type { Events } from "../telemetry/events.ts";
import { createHttp } from "./create-http.ts";
import { createDrain } from "./connection/drain.ts";

const unused = (): never => {
  throw new Error("no request is sent here");
};

const LIMITS = {
  bodyBytes: 1_024,
  mediaUrls: "https" as const,
  jsonDepth: 4,
  keySharePercent: 25,
  addressSharePercent: 25,
  bodyBudgetBytes: 1_000_000,
  bodyBytesPerSecond: 0,
  unfundedBodyBytes: 1_000,
  openRequests: 1,
  connections: 1,
  clientBufferBytes: 1_024,
  clientStallMs: 1_000,
  headerBytes: 1_024,
  headersTimeoutMs: 1_000,
  bodyTimeoutMs: 1_000,
};

test.each([300_000, 3_600_000])(
  "a caller may wait in silence for as long as a whole answer may take (%i ms)",
  (streamDeadlineMs) => {
    const server = createHttp({
      openRequest: unused,
      countRequest: unused,
      generate: unused,
      embed: unused,
      showUsage: unused,
      listModels: unused,
      showModel: unused,
      countTokens: unused,
      readRequest: unused,
      readEmbeddings: unused,
      readCountRequest: unused,
      readSocketMessage: unused,
      webSocket: null,
      fingerprint: unused,
      requireFunds: unused,
      holder: null,
      clientSignIn: null,
      showClientUsage: unused,
      recentLimits: unused,
      serveConsole: unused,
      health: unused,
      events: {} as Events,
      drain: createDrain({ clock: systemClock }),
      clock: systemClock,
      random: unused,
      publicUrl: () => "http://tollgate.example",
      address: "set",
      readDescription: unused,
      limits: { ...LIMITS, streamDeadlineMs },
      adminToken: "",
      trustedProxies: () => false,
      equalCredentials: "refused",
      betas: [],
    });

    expect(server.timeout).toBeGreaterThan(streamDeadlineMs);
  },
);
