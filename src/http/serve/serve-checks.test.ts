import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHECK_PATH, deriveTicketKey, signTicket, type TicketKey } from "../../core/secret/check-ticket.ts";
import { systemClock } from "../../core/clock.ts";
import { serveChecks } from "./serve-checks.ts";

const ADMIN_TOKEN = "an-admin-token-of-this-test";
const NOTHING = "nothing here";
let server: Server;
let key: TicketKey;
let url: string;
const nowMs = Date.now();

beforeAll(async () => {
  key = await deriveTicketKey(ADMIN_TOKEN);
  server = createServer(
    serveChecks(
      {
        adminToken: ADMIN_TOKEN,
        callerAddress: () => "198.51.100.7",
        maxBodyBytes: 1_000_000,
        longestSilenceMs: 50,
        clock: { ...systemClock, nowMs: () => nowMs },
      },
      (_request, response) => void response.writeHead(404).end(NOTHING),
    ),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${CHECK_PATH}`;
});
afterAll(() => (server.closeAllConnections(), server.close()));

type Asked = { method?: string; body?: string | Buffer<ArrayBuffer>; headers?: Record<string, string> };

const ask = (name: string, ticket: string | null, rest: Asked = {}) =>
  fetch(url + name, { ...rest, headers: { ...rest.headers, ...(ticket && { authorization: `Bearer ${ticket}` }) } });

test("streams two events a second apart to the holder of a ticket, with what the gateway sees", async () => {
  const response = await ask("stream", signTicket(key, nowMs), { headers: { "x-forwarded-for": "203.0.113.5" } });
  const text = await response.text();

  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  const [first, second] = text.trim().split("\n\n");
  expect(JSON.parse(first?.slice(6) ?? "")).toEqual({
    address: "198.51.100.7",
    peer: "127.0.0.1",
    forwarded_for: "203.0.113.5",
    forwarded: null,
    http_version: "1.1",
  });
  expect(second).toBe('data: {"gap_ms":1000}');
});

test("stays silent for as long as it is asked to, at most as long as a request may run", async () => {
  const response = await ask("stream", signTicket(key, nowMs), { headers: { "x-tollgate-silence": "999999999" } });

  expect(await response.text()).toMatch(/data: \{"silence_ms":50\}\n\n$/);
});

test("counts a body, up to the largest that a request may have", async () => {
  const counted = await ask("body", signTicket(key, nowMs), { method: "POST", body: Buffer.alloc(1_000_000) });
  const tooLarge = await ask("body", signTicket(key, nowMs), { method: "POST", body: Buffer.alloc(1_000_001) });

  expect([counted.status, await counted.json()]).toEqual([200, { bytes: 1_000_000 }]);
  expect(tooLarge.status).toBe(400);
});

const flipped = (ticket: string): string => ticket.slice(0, -1) + (ticket.endsWith("0") ? "1" : "0");

test.each<[string, () => string | null | Promise<string>]>([
  ["no ticket", () => null],
  ["anything else", () => ADMIN_TOKEN],
  ["a ticket with a changed signature", () => flipped(signTicket(key, nowMs))],
  ["a ticket of another installation", async () => signTicket(await deriveTicketKey("another-admin-token"), nowMs)],
  ["a ticket that is over", () => signTicket(key, nowMs - 61_000)],
  ["a ticket for a day that has not come", () => signTicket(key, nowMs + 86_400_000)],
])("is not there for whoever sends %s", async (_, ticket) => {
  const response = await ask("stream", await ticket());

  expect([response.status, await response.text()]).toEqual([404, NOTHING]);
});

test("a ticket is good for one request", async () => {
  const ticket = signTicket(key, nowMs);
  const answers = [
    await ask("body", ticket, { method: "POST", body: "x" }),
    await ask("body", ticket, { method: "POST", body: "x" }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 404]);
});

test("other paths and methods below it are not there either, with a ticket or without", async () => {
  const answers = await Promise.all([
    ask("other", signTicket(key, nowMs)),
    ask("body", signTicket(key, nowMs)),
    ask("stream?x=1", signTicket(key, nowMs)),
    ask("stream", signTicket(key, nowMs), { method: "DELETE" }),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});

test("serves few at once: a fifth stream finds nothing", async () => {
  const streams = await Promise.all(Array.from({ length: 4 }, () => ask("stream", signTicket(key, nowMs))));
  const fifth = await ask("stream", signTicket(key, nowMs));
  for (const stream of streams) await stream.body?.cancel();

  expect([...streams, fifth].map(({ status }) => status)).toEqual([200, 200, 200, 200, 404]);
});
