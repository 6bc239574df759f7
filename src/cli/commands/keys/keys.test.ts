import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runTollgate } from "../../../../tests/support/run-tollgate.ts";

const KEY = {
  id: "01a1def5-f603-721e-ab62-1e31b1804556",
  prefix: "tgc_a034Fq4J",
  account_id: null,
  person_id: null,
  mode: "credit",
  status: "active",
  label: null,
  provider_scope: "all",
  models: null,
  tiers: null,
  regions: null,
  account_tiers: null,
  account_regions: null,
  rpm_limit: null,
  expires_at: null,
  created_at: "2026-11-15T00:00:00.000Z",
};

/** A folder whose `dev` makes keys and then has lost its database. */
async function brokenGateway() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  const server = createServer((request, response) => {
    const isMaking = request.method === "POST";
    response.writeHead(isMaking ? 201 : 503, { "content-type": "application/json" });
    response.end(JSON.stringify(isMaking ? { key: KEY, secret: "tgc_the-secret" } : { error: { message: "away" } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const adminUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mkdirSync(join(folder, ".tollgate"));
  writeFileSync(join(folder, ".tollgate/dev.json"), JSON.stringify({ pid: process.pid, adminUrl, adminToken: "t" }));
  return {
    run: (...words: string[]) => runTollgate(words, { cwd: folder, env: {} }),
    async [Symbol.asyncDispose]() {
      await once(server.close(), "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("the secret of a key that was made is printed, whatever else cannot be had", async () => {
  await using gateway = await brokenGateway();

  const text = await gateway.run("keys", "create", "--credit", "5");
  const json = await gateway.run("keys", "create", "--credit", "5", "--json");

  expect(text).toEqual({
    code: 0,
    stdout: "tgc_the-secret\n",
    stderr: "Created credit key tgc_a034Fq4J….\nSave this secret now; it won't be shown again.\n",
  });
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toEqual({ key: KEY, secret: "tgc_the-secret", funds: null });
});
