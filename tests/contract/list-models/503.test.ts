import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "../../support/postgres.ts";
import { type PostgresProxy, startPostgresProxy } from "../../support/postgres-proxy.ts";
import { runTollgate } from "../../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../../support/serve-process.ts";
import { unknownKey } from "../bad-keys.ts";
import { bearer, expectRefusal, knock, type Reply } from "../knock.ts";
import { bareEnvironment } from "../../support/child-environment.ts";

const AWAY = { status: 503, code: "service_unavailable", type: "api_error", retry: "unsaid" } as const;
const ADMIN_TOKEN = "an-admin-token-for-tests";

describe.skipIf(whyUnavailable("15"))("while the database does not answer", () => {
  let database: FreshDatabase;
  let proxy: PostgresProxy;
  let gateway: ServeProcess;
  let folder: string;
  let known: string;
  let unseen: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-models-"));
    database = await freshDatabase();
    const url = new URL(database.url);
    proxy = await startPostgresProxy({ port: Number(url.port) });
    url.port = String(proxy.port);
    const environment = {
      ...bareEnvironment(),
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_ADMIN_PORT: "0",
      PORT: "0",
      // The test decides when a key is forgotten, not a busy machine.
      TOLLGATE_KEYS_CACHE_MS: "3600000",
    };
    const make = async (): Promise<string> => {
      const env = { ...environment, DATABASE_URL: database.url };
      const { stdout } = await runTollgate(["keys", "create", "--json"], { cwd: folder, env });
      return (JSON.parse(stdout) as { secret: string }).secret;
    };
    [known, unseen] = [await make(), await make()];
    rememberSecrets([ADMIN_TOKEN, known, unseen]);
    gateway = await startServeProcess({ folder, environment: { ...environment, DATABASE_URL: url.href } });
    expect((await list("/v1/models", bearer(known))).status).toBe(200);
    await proxy.close();
  });
  afterAll(async () => {
    await gateway.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const list = (path: string, headers: readonly string[] = []): Promise<Reply> =>
    knock(`${gateway.url}${path}`, { headers });

  test.each(["/v1/models", "/v1/models/any"])(
    "%s of a key that the gateway has not seen lately is 503, and says when to come back [ERR-25] [MOD-18] [HDR-4] [HDR-9]",
    async (path) => {
      for (const key of [unseen, unknownKey()]) {
        const reply = await list(path, bearer(key));

        expectRefusal(reply, AWAY);
        expect(reply.headers["retry-after"]).toMatch(/^([1-9]|10)$/);
      }
    },
  );

  test("a key that the gateway has seen lately is shown the loaded list, and so is everyone without a key [ERR-39]", async () => {
    expect((await list("/v1/models", bearer(known))).status).toBe(200);
    expect((await list("/v1/models")).status).toBe(200);
  });

  test("usage of a key that the gateway has seen lately is 503, for it is the ledger's word [ERR-25]", async () => {
    expectRefusal(await list("/v1/usage", bearer(known)), AWAY);
  });
});
