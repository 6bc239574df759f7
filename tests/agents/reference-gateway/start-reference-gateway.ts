import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OidcServer } from "../../support/oidc/start-oidc.ts";
import { freePort } from "../../support/free-port.ts";
import { startCluster } from "../../support/postgres.ts";

/** `claude gateway`, the gateway that comes with Claude Code, on loopback. */
export type ReferenceGateway = AsyncDisposable & {
  url: string;
  /** What everybody may spend in a month, in cents. */
  setLimit: (cents: string) => Promise<void>;
};

type Parts = {
  /** The `claude` binary. */
  program: string;
  oidc: OidcServer;
  /** Where a provider of the messages format listens, and what it is asked for. */
  provider: { url: string; upstreamModel: string; pricePerMillion: number };
  model: string;
  /** What a client of this group gets as managed settings. */
  policy: { group: string; settings: Record<string, unknown> };
  collectorUrl: string;
};

const READY_TIMEOUT_MS = 60_000;

const PRICED = (price: number): object => ({ input: price, output: price, cache_read: price, cache_write: price });

export async function startReferenceGateway(parts: Parts): Promise<ReferenceGateway> {
  const { program, oidc, provider, model, policy, collectorUrl } = parts;
  const cluster = await startCluster({ durable: false });
  const folder = mkdtempSync(join(tmpdir(), "reference-gateway-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const adminKey = randomBytes(24).toString("hex");
  oidc.allowRedirect(`${url}/oauth/callback`);
  // JSON is YAML too.
  const config = {
    listen: { host: "127.0.0.1", port, public_url: url },
    oidc: {
      issuer: oidc.issuer,
      client_id: oidc.clientId,
      client_secret: oidc.clientSecret,
      id_token_signed_response_alg: "ES256",
      scopes: ["openid", "profile", "email", "offline_access"],
    },
    session: { jwt_secret: randomBytes(32).toString("hex") },
    store: { postgres_url: cluster.superuserUrl },
    upstreams: [{ name: "provider", provider: "anthropic", base_url: provider.url, auth: { api_key: "none" } }],
    models: [{ id: model, upstream_model: { provider: provider.upstreamModel } }],
    managed: { policies: [{ match: { groups: [policy.group] }, cli: policy.settings }] },
    admin: { write_keys: [{ id: "test", key: adminKey }] },
    telemetry: { forward_to: [{ url: collectorUrl, metrics: true, logs: true, traces: true }] },
    pricing: { overrides: [{ upstream: "provider", model, ...PRICED(provider.pricePerMillion) }] },
  };
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config));
  const child = spawn(program, ["gateway", "--config", join(folder, "gateway.yaml")], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      CLAUDE_GATEWAY_ALLOW_LOOPBACK: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const exited = once(child, "exit");
  const close = async (): Promise<void> => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await exited;
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !(await isReady(url)); await sleep(100))
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`claude gateway is not ready: ${said.slice(-3_000)}`);
    }
  return {
    url,
    setLimit: async (cents) => {
      const response = await fetch(`${url}/v1/organizations/spend_limits`, {
        method: "POST",
        headers: { "x-api-key": adminKey, "content-type": "application/json" },
        body: JSON.stringify({ scope: { type: "organization" }, amount: cents, period: "monthly" }),
      });
      if (!response.ok) throw new Error(`the limit was refused: ${response.status} ${await response.text()}`);
    },
    [Symbol.asyncDispose]: close,
  };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
