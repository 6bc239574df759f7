import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "./postgres.ts";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.ts";

const NOTE = { fn: "note_v1" };

describe.skipIf(whyUnavailable("15"))("a proxy before PostgreSQL", () => {
  let database: FreshDatabase;
  let proxy: PostgresProxy;
  let direct: Client;
  beforeAll(async () => {
    database = await freshDatabase({ migrated: false });
    proxy = await startPostgresProxy({ port: Number(new URL(database.url).port) });
    direct = await open(database.url);
    await direct.query("create table note (id int)");
    await direct.query("create function note_v1(p int) returns void language sql as 'insert into note values (p)'");
  });
  afterAll(async () => {
    await direct.end();
    await proxy.close();
    await database.close();
  });

  const open = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  const through = (): Promise<Client> => {
    const url = new URL(database.url);
    url.port = String(proxy.port);
    return open(url.href);
  };
  const noted = async (id: number): Promise<boolean> =>
    (await direct.query("select from note where id = $1", [id])).rowCount === 1;
  const note = (client: Client, id: number, name?: string): Promise<unknown> =>
    client.query({ text: "select note_v1($1)", values: [id], ...(name === undefined ? {} : { name }) });

  test("a query that is held has not happened, and happens when it is let go", async () => {
    const client = await through();
    const caught = proxy.next(NOTE, "hold_query");
    const answer = note(client, 1);
    await caught.happened;

    expect(await noted(1)).toBe(false);
    caught.release();
    await answer;
    expect(await noted(1)).toBe(true);
    await client.end();
  });

  test("an answer that is held is of something that has happened; a prepared statement is recognised too", async () => {
    const client = await through();
    await note(client, 2, "note");
    const caught = proxy.next(NOTE, "hold_answer");
    let heard = false;
    const answer = note(client, 3, "note").then(() => (heard = true));
    await caught.happened;

    expect(await noted(3)).toBe(true);
    expect(heard).toBe(false);
    caught.release();
    await answer;
    expect(proxy.calls(NOTE)).toBe(3);
    await note(client, 4);
    await client.end();
  });

  test("calls of one function are told apart by what they are given", async () => {
    const client = await through();
    const caught = proxy.next({ ...NOTE, given: 1 }, "hold_query");
    await client.query({ text: "select note_v1($1)", values: [null] }).catch(() => undefined);
    const answer = note(client, 8);
    await caught.happened;

    expect(await noted(8)).toBe(false);
    expect(proxy.calls(NOTE) - proxy.calls({ ...NOTE, given: 1 })).toBe(1);
    caught.release();
    await answer;
    await client.end();
  });

  test("a connection cut before the answer has done its work", async () => {
    const client = await through();
    const caught = proxy.next(NOTE, "cut_answer");

    await expect(note(client, 5)).rejects.toThrow();
    await caught.happened;
    expect(await noted(5)).toBe(true);
  });

  test("a connection cut behind the query ends in an error, and the next one serves", async () => {
    const client = await through();
    const caught = proxy.next(NOTE, "cut_query");

    await expect(note(client, 6)).rejects.toThrow();
    await caught.happened;
    const next = await through();
    await note(next, 7);
    expect(await noted(7)).toBe(true);
    const ended = new Promise((resolve) => void next.once("end", resolve));
    expect(proxy.cutAll()).toBeGreaterThanOrEqual(1);
    await ended;
  });
});
