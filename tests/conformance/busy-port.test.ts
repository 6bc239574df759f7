import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { freePort } from "../support/free-port.ts";

/** What a terminal, a database and a caller see of `serve` while it looks whether its ports are taken. */
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

const serve = (words: readonly string[], ports: Record<string, string>): Promise<Ran> =>
  runTollgate(["serve", "--migrate", ...words], {
    alone: true,
    cwd: import.meta.dirname,
    env: {
      ...childEnvironment(),
      DATABASE_URL: `postgres://postgres@127.0.0.1:${portOf(database)}/postgres`,
      TOLLGATE_ADMIN_TOKEN: "busy-port-admin-token-0123456789",
      PORT: "0",
      TOLLGATE_ADMIN_PORT: "0",
      ...ports,
    },
  });

/** How a connection to the port ended. */
async function connected(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "close");
    return "closed";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

test.each([
  { taken: "PORT", words: [] },
  { taken: "TOLLGATE_ADMIN_PORT", words: [] },
  { taken: "PORT", words: ["--workers", "2"] },
  { taken: "TOLLGATE_ADMIN_PORT", words: ["--workers", "2"] },
])("serve $words with a busy $taken ends with one line and does not connect to the database", async (start) => {
  const ran = await serve(start.words, { [start.taken]: `${portOf(busy)}` });

  expect(ran.code).toBe(1);
  expect(ran.stdout).toBe("");
  expect(ran.stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(
      new RegExp(`address already in use 127\\.0\\.0\\.1:\\d+\\. Stop what listens there, or set ${start.taken} to`),
    ),
  ]);
  expect(connections).toBe(0);
});

test.each([[[]], [["--workers", "2"]]])(
  "whoever connects too early to serve %j is refused and never cut off",
  async (words) => {
    const port = await freePort();
    let isOver = false;
    const heard = new Set<string>();
    const calling = (async () => {
      while (!isOver) heard.add(await connected(port));
    })();
    // It finds its ports free, and then no database.
    const ran = await serve(words, { PORT: `${port}` });
    isOver = true;
    await calling;

    expect(ran.code).toBe(1);
    expect(connections).toBeGreaterThan(0);
    expect([...heard]).toEqual(["ECONNREFUSED"]);
  },
);
