import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { publishHtml } from "../openapi/page/published.ts";
import type { Events } from "../telemetry/events.ts";
import type { RequestFinished } from "../telemetry/request-line.ts";
import { createRouter } from "./router.ts";
import { createServePage } from "./serve-page.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** One page on a real server, that says where it believes to be. */
async function open(publicUrl: () => string) {
  const made: string[] = [];
  const finished: RequestFinished[] = [];
  const log = { finished: (end: RequestFinished) => finished.push(end) };
  const events = { requestOpened: () => log } as unknown as Events;
  const lost = (): never => expect.unreachable();
  const router = createRouter({ notFound: lost, methodNotAllowed: lost });
  createServePage({ publicUrl, address: "guessed", events, clock: systemClock })(router, "/page", (url) => {
    made.push(url);
    return publishHtml(`This is ${url}.`);
  });
  const server = createServer(router.handle).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close", ...headers } });
  return { get, made, finished };
}

test("a page is made before anybody asks, and once for all who do, at both origins", async () => {
  const { get, made } = await open(() => "https://a.example");
  expect(made).toEqual(["https://a.example"]);

  for (const path of ["/page", "/page?query", "/token/page"])
    expect(await (await get(path)).text()).toBe("This is https://a.example.");
  expect(made).toHaveLength(1);
});

test("a page is made again when the base URL turns out to be another", async () => {
  let url = "";
  const { get, made } = await open(() => url);
  url = "http://127.0.0.1:8080";

  expect(await (await get("/page")).text()).toBe("This is http://127.0.0.1:8080.");
  expect(await (await get("/page")).text()).toBe("This is http://127.0.0.1:8080.");
  expect(made).toEqual(["", "http://127.0.0.1:8080"]);
});

test.each([
  ["the tag", (tag: string) => tag],
  ["the tag, weakened on the way", (tag: string) => `W/${tag}`],
  ["the tag among others", (tag: string) => `"other", ${tag}`],
  ["any tag", () => "*"],
])("a reader that shows %s is spared the page", async (_name, shown) => {
  const { get, finished } = await open(() => "https://a.example");
  const first = await get("/page");
  const tag = first.headers.get("etag") ?? "";
  const again = await get("/page", { "if-none-match": shown(tag) });

  expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" });
  expect(again.headers.get("etag")).toBe(tag);
  expect(finished.map(({ status, bytesOut }) => [status, bytesOut])).toEqual([
    [200, (await first.text()).length],
    [304, 0],
  ]);
});

test("a reader that shows another tag gets the page", async () => {
  const { get } = await open(() => "https://a.example");

  expect((await get("/page", { "if-none-match": '"other"' })).status).toBe(200);
});
