import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { startCluster } from "../../support/postgres.ts";
import { runTollgate } from "../../support/run-tollgate.ts";
import { startServeProcess } from "../../support/serve-process.ts";
import type { Stretch } from "../../support/stretch/stretches.ts";
import { childEnvironment } from "../../support/child-environment.ts";

export const DIALECTS = ["chat", "responses", "messages"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What the provider says next, whatever it is asked. */
export type Says = (response: ServerResponse, streamed: boolean) => void;

export type Tried = { status: number; text: string; longest: Stretch | null };

export type Stage = {
  /** Sends a body and says what it kept the gateway's main thread busy for. */
  ask: (path: string, body: string | Buffer, headers?: Record<string, string>) => Promise<Tried>;
  says: (next: Says) => void;
  close: () => Promise<void>;
};

const ADMIN_TOKEN = "an-admin-token-of-this-stage";

/** `tollgate serve` on a PostgreSQL of its own, with a model behind each format of provider, and a provider in the test's hands. */
export async function startStage(): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-busy-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = parts.adopt(await startCluster({ durable: false }), (it) => it.close());
  let next: Says = (response) => void response.writeHead(500).end();
  const provider = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => next(response, Buffer.concat(pieces).includes('"stream":true')));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  parts.defer(() => {
    provider.closeAllConnections();
    provider.close();
  });
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: cluster.url(),
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_ADMIN_PORT: "0",
    PORT: "0",
    PROVIDER_KEY: "sk-provider-key-of-this-stage",
  };
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runTollgate(words, { cwd: folder, env: environment });
    if (code !== 0) throw new Error(`tollgate ${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  writeFileSync(
    join(folder, "catalogue.json"),
    JSON.stringify(catalogueOf(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`)),
  );
  await run("migrate");
  await run("catalogue", "apply", "catalogue.json");
  const made = await run("keys", "create", "--mode", "credit", "--credit", "1000000", "--json");
  const { secret } = JSON.parse(made) as { secret: string };
  rememberSecrets([secret]);
  const gateway = parts.adopt(
    await startServeProcess({ folder, environment, stretch: true }),
    async (it) => void (await it.stop()),
  );
  const kept = parts.move();

  return {
    says: (given) => void (next = given),
    ask: async (path, body, headers = {}) => {
      gateway.stretches.take();
      const answer = await fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
        body,
      });
      const text = await answer.text().catch((error: unknown) => `broke off: ${String(error)}`);
      // Whatever came before this answer has been written down.
      await (await fetch(`${gateway.url}/livez`)).text();
      return { status: answer.status, text, longest: gateway.stretches.longest() };
    },
    close: () => kept.disposeAsync(),
  };
}

function catalogueOf(baseUrl: string): object {
  return {
    providers: [{ name: "theirs", base_url: baseUrl, credential: "env:PROVIDER_KEY" }],
    models: DIALECTS.map((dialect) => ({
      id: `to-${dialect}`,
      provider: "theirs",
      context_window: 100_000_000,
      max_output_tokens: 100_000,
      price: { input: "0.001", output: "0.001" },
      routes: [{ provider: "theirs", upstream_model: "up", format: dialect, conformant: true }],
    })),
  };
}
