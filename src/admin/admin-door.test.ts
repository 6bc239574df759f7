import { afterEach, expect, test } from "vitest";
import { createCallerAddress } from "../http/connection/caller-address.ts";
import { addRoute } from "./add-route.ts";
import { openAdminDoor } from "./admin-door.ts";
import type { AdminParts } from "./admin-parts.ts";
import type { AdminRoute } from "./route.ts";
import { createSessionCookie } from "./session-cookie.ts";
import { tellRefused } from "./tell-refused.ts";

const PROXY = "192.0.2.10";
const told: string[] = [];
afterEach(() => void (told.length = 0));

/** A listener behind a proxy, with one route for everybody, that answers where one is. */
function listener() {
  const nobody = () => Promise.resolve(null);
  const app = openAdminDoor({
    token: "an automation token",
    metricsToken: null,
    identify: { bySession: nobody, byToken: nobody },
    cookie: createSessionCookie(null),
    events: {
      bug: () => undefined,
      adminRequestFailed: () => undefined,
      operatorRefused: ({ address }) => void told.push(`log ${address}`),
    },
    databaseTrouble: () => null,
    farewellMs: 1,
    callerAddress: createCallerAddress({ trusted: (address) => address === PROXY, onHidden: () => undefined }),
    clock: { nowMs: Date.now },
  });
  tellRefused(app, ({ address }) => void told.push(`audit ${address}`));
  const route = { params: null, query: null, body: null, media: "text/plain", credential: "none" } as const;
  const handle: AdminRoute["handle"] = (_parts, { came }) => ({ status: 200, body: came.address });
  const here = { ...route, id: "here", method: "GET", path: "/here", handle } as unknown as AdminRoute;
  addRoute(app, { route: here, parts: {} as AdminParts });
  return app;
}

const from = (remoteAddress: string, forwarded: string) => ({
  remoteAddress,
  headers: { "x-forwarded-for": forwarded },
});

test("behind a trusted proxy everybody has an address of their own, which nobody else is locked out with", async () => {
  const app = listener();
  const at = async (peer: string, forwarded: string) =>
    (await app.inject({ method: "GET", url: "/here", ...from(peer, forwarded) })).body;

  expect(await at(PROXY, "198.51.100.1")).toBe("198.51.100.1");
  expect(await at(PROXY, "203.0.113.9, 198.51.100.2")).toBe("198.51.100.2");
  expect(await at("198.51.100.3", "203.0.113.9")).toBe("198.51.100.3");
});

test("the log and the audit log name the address behind the proxy", async () => {
  await listener().inject({ method: "GET", url: "/nowhere", ...from(PROXY, "198.51.100.1") });

  expect(told).toEqual(["log 198.51.100.1", "audit 198.51.100.1"]);
});

test.each(["/here", "/nowhere", "/%zz"])("no cache keeps what %s answers", async (url) => {
  const { headers } = await listener().inject({ method: "GET", url });

  expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
});
