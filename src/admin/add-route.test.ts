import { Readable } from "node:stream";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { addRoute } from "./add-route.ts";
import type { AdminParts } from "./admin-parts.ts";
import type { AdminRoute } from "./route.ts";

/** A listener with one route, and how often that was asked. */
function listener(media: AdminRoute["media"]) {
  const app = Fastify();
  app.decorateRequest("caller", null);
  const asked = { times: 0 };
  const handle = () => {
    asked.times++;
    return { status: 200, body: Readable.from(["a row"]) };
  };
  const route = { id: "list", method: "GET", path: "/list", params: null, query: null, body: null, media, handle };
  addRoute(app, { route: route as unknown as AdminRoute, parts: {} as AdminParts });
  return { app, asked };
}

test.each(["text/csv", "application/x-ndjson", "text/event-stream"] as const)(
  "nobody has a stream of %s read for them by asking for its headers alone",
  async (media) => {
    const { app, asked } = listener(media);

    expect((await app.inject({ method: "HEAD", url: "/list" })).statusCode).toBe(404);
    expect(asked.times).toBe(0);
    expect((await app.inject({ method: "GET", url: "/list" })).body).toBe("a row");
  },
);

test("other answers have headers to ask for", async () => {
  expect((await listener("application/json").app.inject({ method: "HEAD", url: "/list" })).statusCode).toBe(200);
});
