import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTollgate } from "../support/run-tollgate.ts";
import { childEnvironment } from "../support/child-environment.ts";

/** What a terminal and a database see of `serve` when one of its ports is taken. */
let busy: Server;
let database: Server;
let connections = 0;
beforeAll(async () => {
  busy = createServer().listen(0, "127.0.0.1");
  database = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await Promise.all([once(busy, "listening"), once(database, "listening")]);
});
afterAll(() => {
  busy.close();
  database.close();
});

const portOf = (server: Server): number => (server.address() as { port: number }).port;

test.each([
  { taken: "PORT", words: [] },
  { taken: "TOLLGATE_ADMIN_PORT", words: [] },
  { taken: "PORT", words: ["--workers", "2"] },
  { taken: "TOLLGATE_ADMIN_PORT", words: ["--workers", "2"] },
])("serve $words with a busy $taken ends with one line and does not connect to the database", async (start) => {
  const env = {
    ...childEnvironment(),
    DATABASE_URL: `postgres://postgres@127.0.0.1:${portOf(database)}/postgres`,
    TOLLGATE_ADMIN_TOKEN: "busy-port-admin-token-0123456789",
    PORT: "0",
    TOLLGATE_ADMIN_PORT: "0",
    [start.taken]: `${portOf(busy)}`,
  };
  const ran = await runTollgate(["serve", "--migrate", ...start.words], { cwd: import.meta.dirname, env });

  expect(ran.code).toBe(1);
  expect(ran.stdout).toBe("");
  expect(ran.stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(
      new RegExp(`address already in use 127\\.0\\.0\\.1:\\d+\\. Stop what listens there, or set ${start.taken} to`),
    ),
  ]);
  expect(connections).toBe(0);
});
