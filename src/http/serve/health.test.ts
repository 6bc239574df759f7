import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createDrain } from "../connection/drain.ts";
import type { Health } from "../../core/health.ts";
import { addHealth } from "./health.ts";
import { createRouter } from "../router.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const WELL: Health = { unready: [], failing: [], degraded: [] };

async function probes(health: () => Health) {
  const unused = (): never => {
    throw new Error("every path here is known");
  };
  const router = createRouter({ notFound: unused, methodNotAllowed: unused });
  addHealth(router, { health, drain: createDrain({ clock: systemClock }), clock: systemClock });
  const server = createServer(router.handle);
  closing.push(() => (server.closeAllConnections(), server.close()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
}

test("what is wrong with this process takes it out of service, for as long as it is", async () => {
  let unready = ["the catalogue has not been loaded"];
  const url = await probes(() => ({ ...WELL, unready }));

  const starting = await fetch(url);
  expect(starting.status).toBe(503);
  expect(await starting.json()).toEqual({ status: "unavailable", reasons: unready });
  unready = [];
  expect(await (await fetch(url)).json()).toEqual({ status: "ok" });
});

test.each(["failing", "degraded"])(
  "what is wrong for all of them (%s) leaves it in service, without a detail",
  async (kind) => {
    const url = await probes(() => ({ ...WELL, [kind]: ["the disk of db.internal is full"] }));

    const response = await fetch(url);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "degraded" });
  },
);
