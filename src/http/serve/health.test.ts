import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createDrain } from "../connection/drain.ts";
import { addHealth, type Degraded, type Readiness } from "./health.ts";
import { createRouter } from "../router.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function probes(readiness: Readiness, degraded: Degraded = () => []) {
  const unused = (): never => {
    throw new Error("every path here is known");
  };
  const router = createRouter({ notFound: unused, methodNotAllowed: unused });
  addHealth(router, { readiness, degraded, drain: createDrain({ clock: systemClock }), clock: systemClock });
  const server = createServer(router.handle);
  closing.push(() => (server.closeAllConnections(), server.close()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const received = (probe: number): Promise<void> =>
    new Promise((resolve) => {
      let seen = 0;
      server.on("request", () => void (++seen === probe && resolve()));
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`, received };
}

test("however many ask at once whether a gateway is ready, the database is asked once", async () => {
  let asked = 0;
  const { promise: database, resolve: answer } = Promise.withResolvers<void>();
  const { url, received } = await probes(async () => {
    asked++;
    await database;
    return ["the database does not answer"];
  });
  const all = received(20);
  const replies = Array.from({ length: 20 }, () => fetch(url));
  await all;
  answer();
  const statuses = (await Promise.all(replies)).map(({ status }) => status);

  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(asked).toBe(1);
});

test("each time it is asked anew: what was true is not remembered", async () => {
  let reasons: string[] = ["the catalogue has not been loaded"];
  const { url } = await probes(async () => reasons);

  expect((await fetch(url)).status).toBe(503);
  reasons = [];
  expect((await fetch(url)).status).toBe(200);
});

test("a gateway that lacks something and can serve stays in service, and says what it lacks", async () => {
  let reasons: string[] = [];
  const { url } = await probes(
    async () => reasons,
    () => ["changes are not heard"],
  );

  const degraded = await fetch(url);
  expect(degraded.status).toBe(200);
  expect(await degraded.json()).toEqual({ status: "degraded", reasons: ["changes are not heard"] });
  reasons = ["the database does not answer"];
  const away = await fetch(url);
  expect(away.status).toBe(503);
  expect(await away.json()).toEqual({ status: "unavailable", reasons: ["the database does not answer"] });
});
