import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { readBlocks, valueOf } from "../chaos/patroni/page-blocks.ts";
import { poolerConfiguration, poolerPage } from "../support/pooler-page.ts";

/** The suites read their configurations from these blocks, so what is tried here is that the blocks fit each other. */
const blocks = readBlocks();
const [pooler = ""] = poolerPage("ini");
const [roleTimeouts = ""] = poolerPage("sql");
const { database } = loadConfig({ environment: {} }).config;

const settingsOf = (ini: string): Record<string, string> =>
  Object.fromEntries([...ini.matchAll(/^(\w+) = ?(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));

/** A folder for sockets is a matter of taste; which database a pooler leads to is a matter of the page. */
const commonOf = (ini: string): Record<string, string> => {
  const { unix_socket_dir: _folder, tollgate: _database, ...rest } = settingsOf(ini);
  return rest;
};

test("both pages about the database have the same settings of PgBouncer", () => {
  expect(Object.keys(commonOf(pooler)).length).toBeGreaterThan(6);
  expect(commonOf(blocks.pgbouncer)).toEqual(commonOf(pooler));
});

test("PgBouncer gives up when a gateway would, and a gateway finds it where it listens", () => {
  const { query_wait_timeout: waitS, listen_port: port } = settingsOf(pooler);

  expect(Number(waitS) * 1_000).toBe(database.connectTimeoutMs);
  expect(poolerPage("sh").join("")).toContain(`DATABASE_URL=postgres://tollgate@127.0.0.1:${port}/tollgate`);
  expect(valueOf(blocks.pooled, "database.url")).toContain(`@127.0.0.1:${port}/`);
});

test("the suite's PgBouncer differs from the page in addresses and paths alone", () => {
  const place = { listenPort: 1, folder: "/elsewhere", serverPort: 2, database: "another" };
  const used = commonOf(poolerConfiguration(place));

  expect(used).toEqual({ ...commonOf(pooler), listen_port: "1", auth_file: "/elsewhere/userlist.txt" });
});

test("both pages give the role the timeouts that a gateway sets itself", () => {
  const seconds = database.statementTimeoutMs / 1_000;
  const wanted = [
    `alter role tollgate set statement_timeout = '${seconds}s';`,
    `alter role tollgate set idle_in_transaction_session_timeout = '${2 * seconds}s';`,
  ];

  for (const block of [roleTimeouts, blocks.sql]) for (const statement of wanted) expect(block).toContain(statement);
});

test("a leader that cannot reach etcd steps down before its lock expires", () => {
  const [ttl, loopWait, retryTimeout] = ["ttl", "loop_wait", "retry_timeout"].map((name) =>
    Number(valueOf(blocks.patroni, `bootstrap.dcs.${name}`)),
  ) as [number, number, number];

  expect(loopWait + 2 * retryTimeout).toBeLessThanOrEqual(ttl);
  expect(blocks.patroni).toMatch(/^ {4}synchronous_mode: true$/m);
  expect(blocks.patroni).toMatch(/^ {4}failsafe_mode: true$/m);
});

test("PgBouncer leads to haproxy, and haproxy asks Patroni where it answers", () => {
  const [, port] = /^ {2}bind 127\.0\.0\.1:(\d+)$/m.exec(blocks.haproxy) ?? [];
  const [, checked] = /check port (\d+)$/m.exec(blocks.haproxy) ?? [];

  expect(blocks.pgbouncer).toContain(`host=127.0.0.1 port=${port}\n`);
  expect(valueOf(blocks.patroni, "restapi.listen")).toBe(`db1:${checked}`);
});
