import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "../../../../tests/support/postgres.ts";
import { type Ran, runTollgate } from "../../../../tests/support/run-tollgate.ts";

const missing = whyUnavailable("15");

const UPCOMING = `upcoming_prices: [{ input: 3, output: 10, effective_from: "2090-01-01T00:00:00Z" }]`;
const catalogue = (prices: string): string => `
providers: [{ name: acme, base_url: "https://api.example.com/v1", credential: none }]
models:
  - id: large
    provider: acme
    max_output_tokens: 8192
    ${prices}
    routes: [{ provider: acme, upstream_model: large, format: chat }]
`;

describe.skipIf(missing)("tollgate catalogue on PostgreSQL", () => {
  let database: FreshDatabase;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-catalogue-"));
    database = await freshDatabase();
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...words: string[]) => runTollgate(words, { cwd: folder, env: { DATABASE_URL: database.url } });
  const apply = (prices: string, ...words: string[]) => {
    writeFileSync(join(folder, "catalogue.yaml"), catalogue(prices));
    return run("catalogue", "apply", "catalogue.yaml", ...words);
  };

  test("a price that is applied, and its successor, are told as they change and are in the book", async () => {
    const first = await apply(`price: { input: "2.50", output: 10 }`, "--json");
    const second = await apply(`price: { input: "2.50", output: 10 }\n    ${UPCOMING}`);
    const [book, unknown] = await Promise.all([
      run("catalogue", "prices", "large", "--json"),
      run("catalogue", "prices", "unknown"),
    ]);

    for (const ran of [first, second, book]) expect(ran.code).toBe(0);
    for (const { stderr } of [first, second])
      expect(JSON.parse(stderr)).toMatchObject({ msg: "catalogue changed", actor: "cli" });
    expect(book.stderr).toBe("");
    expect((JSON.parse(first.stdout) as { changes: object[] }).changes).toContainEqual(
      expect.objectContaining({ kind: "price", change: "added", version: 1, before: null }),
    );
    expect(linesOf(second)).toEqual([
      expect.stringMatching(/^changed +price +large +input 2\.5 → 3 \(version 2, from 2090-01-01T00:00:00\.000Z\)$/),
    ]);
    expect(JSON.parse(book.stdout)).toMatchObject({
      model: "large",
      prices: [
        { version: 1, state: "in force", price: { input: "2.5" } },
        { version: 2, state: "to come", price: { input: "3" } },
      ],
    });
    expect(unknown).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining('"unknown"') as string });
  });
});

const linesOf = ({ stdout }: Ran): string[] => stdout.trim().split("\n").slice(1);
