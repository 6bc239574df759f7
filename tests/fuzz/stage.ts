import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberSecrets } from "../support/gateway-process.ts";
import { type Dialect, providerDialect } from "../support/provider-dialect.ts";
import { startCluster } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { type ServeProcess, startServeProcess } from "../support/serve-process.ts";
import { startEchoProvider } from "./echo-provider.ts";
import { BODY_ROUTES, brokenModel } from "./routes.ts";
import { setup as makeDescriptions } from "../support/descriptions.ts";
import { childEnvironment } from "../support/child-environment.ts";

export type FuzzStage = {
  gateway: ServeProcess;
  port: number;
  creditKey: string;
  tokenKey: string;
  adminToken: string;
  close: () => Promise<void>;
};

const ADMIN_TOKEN = "an-admin-token-for-fuzzing";
const PLENTY_OF_CREDIT = "100000000";
const PLENTY_OF_TOKENS = "1000000000000";

/** `tollgate serve` on a PostgreSQL of its own, with keys nothing can exhaust and a provider that says markers back. */
export async function startFuzzStage(): Promise<FuzzStage> {
  makeDescriptions();
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-fuzz-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = parts.adopt(await startCluster({ durable: false }), (it) => it.close());
  const provider = parts.adopt(await startEchoProvider(), (it) => it.close());
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: cluster.url(),
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    FUZZ_PROVIDER_KEY: "sk-provider-key-for-fuzzing",
    // Thousands of callers leave before they are answered, and none of them is to be suspended for it.
    TOLLGATE_LEDGER_WRITE_OFF_CAP: "1000000",
    // Slow callers are cut off in seconds, so that a run can wait for it.
    TOLLGATE_LIMITS_HEADERS_TIMEOUT_MS: "4000",
    TOLLGATE_LIMITS_BODY_TIMEOUT_MS: "6000",
  };
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment });
    if (code !== 0) throw new Error(`tollgate ${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  const makeKey = async (...words: string[]): Promise<string> => {
    const { secret } = JSON.parse(await run("keys", "create", ...words, "--json")) as { secret: string };
    rememberSecrets([secret]);
    return secret;
  };
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify(catalogueOf(provider.url)));
  await run("migrate");
  await run("catalogue", "apply", "catalogue.json");
  const creditKey = await makeKey("--mode", "credit", "--credit", PLENTY_OF_CREDIT);
  const tokenKey = await makeKey("--mode", "token_budget", "--budget", PLENTY_OF_TOKENS, "--period", "none");
  const gateway = parts.adopt(
    await startServeProcess({ folder, environment, stretch: true }),
    async (it) => void (await it.stop()),
  );
  const kept = parts.move();
  return {
    gateway,
    port: Number(new URL(gateway.url).port),
    creditKey,
    tokenKey,
    adminToken: ADMIN_TOKEN,
    close: () => kept.disposeAsync(),
  };
}

function catalogueOf(providerUrl: string): object {
  const names = [...new Set(BODY_ROUTES.map(({ model }) => model))];
  // What a case is known again by stands in a member of its own making.
  const base = {
    base_url: `${providerUrl}/v1`,
    credential: "env:FUZZ_PROVIDER_KEY",
    unknown_members: "forward",
  };
  const models = [...names, ...names.map(brokenModel)].map((id) => ({ id, parts: id.split("-") }));
  return {
    providers: ["echo", "broken"].map((name) => ({ name, ...base })),
    models: models.map(({ id, parts: [provider, dialect] }) => ({
      id,
      provider,
      context_window: 1_000_000,
      max_output_tokens: 4_096,
      price: { input: "1", output: "4" },
      routes: [
        {
          provider,
          upstream_model: `up-${id}`,
          format: providerDialect(dialect as Dialect),
          conformant: true,
        },
      ],
    })),
  };
}
