import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import type { DescriptionOrder } from "../../core/description.ts";
import type { Events } from "../../telemetry/events.ts";
import type { RequestFinished } from "../../telemetry/request-line.ts";
import { createRouter } from "../router.ts";
import { createServePage } from "./serve-page.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Write = (order: DescriptionOrder) => Promise<string>;

/** One page on a real server, that says where it believes to be. */
async function open(publicUrl: () => string, write: Write = async (order) => `This is ${urlOf(order)}.`) {
  const made: string[] = [];
  const bugs: unknown[] = [];
  const finished: RequestFinished[] = [];
  const log = { finished: (end: RequestFinished) => finished.push(end) };
  const events = { requestOpened: () => log, bug: (error: unknown) => bugs.push(error) } as unknown as Events;
  const lost = (): never => expect.unreachable();
  const router = createRouter({ notFound: lost, methodNotAllowed: lost });
  const readDescription = async (order: DescriptionOrder) => {
    made.push(urlOf(order));
    return { text: await write(order), policy: null };
  };
  createServePage({ publicUrl, address: "guessed", readDescription, events, clock: systemClock })(
    router,
    "/page",
    "page",
  );
  const server = createServer(router.handle).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close", ...headers } });
  return { get, made, bugs, finished };
}

const urlOf = (order: DescriptionOrder): string => (order.listener === "public" ? order.publicUrl : "");

test("a page is written when it is first asked for, and once for all who ask, at both origins", async () => {
  const { get, made } = await open(() => "https://a.example");
  expect(made).toEqual([]);

  const answers = await Promise.all(["/page", "/page?query", "/token/page"].map((path) => get(path)));
  for (const answer of [...answers, await get("/page")]) expect(await answer.text()).toBe("This is https://a.example.");
  expect(made).toEqual(["https://a.example"]);
});

test("a page is written again when the base URL turns out to be another", async () => {
  let url = "";
  const { get, made } = await open(() => url);
  await get("/page");
  url = "http://127.0.0.1:8080";

  expect(await (await get("/page")).text()).toBe("This is http://127.0.0.1:8080.");
  expect(await (await get("/page")).text()).toBe("This is http://127.0.0.1:8080.");
  expect(made).toEqual(["", "http://127.0.0.1:8080"]);
});

test("a page that could not be written is a 500 that says so, and the next reader gets it", async () => {
  let tries = 0;
  const { get, bugs, finished } = await open(
    () => "https://a.example",
    async () => {
      tries += 1;
      if (tries === 1) throw new Error("no memory for a thread");
      return "Written.";
    },
  );

  const first = await get("/page");
  expect(first.status).toBe(500);
  expect(await first.json()).toMatchObject({
    error: { code: "internal_error", message: expect.stringContaining("could not be written") },
  });
  expect(bugs.map(String)).toEqual(["Error: no memory for a thread"]);
  expect(await (await get("/page")).text()).toBe("Written.");
  expect(finished.map(({ status }) => status)).toEqual([500, 200]);
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
