import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, knock, type Reply } from "../contract/knock.ts";
import { issueKey } from "../contract/operator.ts";
import { keysOf, signAsAws } from "../support/clouds/sign-as-aws.ts";
import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";
import { JSON_TYPE } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { startServeProcess } from "../support/serve-process.ts";
import { type ServedCatalogue, serveCatalogue } from "../support/serve-catalogue.ts";
import { until } from "../support/until.ts";

const ADMIN_TOKEN = "an-admin-token-beside-a-sky";
const random = (): string => randomBytes(20).toString("hex");
const [AWS_SECRET, CLIENT_SECRET] = [random(), random()];
const REGION = "eu-central-1";

type Heard = { method: string; path: string; headers: IncomingMessage["headers"]; body: Buffer };
type Told = { status: number; body: object } | "nothing";

/** A server of a cloud; what it tells can be changed. */
async function startServer(tell: (heard: Heard) => Told | Promise<Told>) {
  const server: Server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const { method = "", url: path = "", headers } = request;
      const told = await tell({ method, path, headers, body });
      if (told === "nothing") return;
      response.writeHead(told.status, { "content-type": "application/json" }).end(JSON.stringify(told.body));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

describe.skipIf(whyUnavailable("15"))("calls with an identity in a cloud", () => {
  let stage: ServedCatalogue;
  let servers: { url: string; close: () => void }[];
  let gateway: GatewayProcess;
  let key: string;
  /** Tokens that the cloud has given, the newest last, and how it gives them. */
  const given: string[] = [];
  let questions = 0;
  let authority = "well" as "well" | "frozen" | "refuses";
  const signatures: boolean[] = [];

  beforeAll(async () => {
    const login = await startServer(async ({ body, path }) => {
      questions += 1;
      const form = new URLSearchParams(body.toString());
      if (authority === "frozen") return "nothing";
      if (
        authority === "refuses" ||
        form.get("client_secret") !== CLIENT_SECRET ||
        !path.endsWith("/oauth2/v2.0/token")
      )
        return {
          status: 401,
          body: { error: "invalid_client", error_codes: [7000215], error_description: "AADSTS7000215: no" },
        };
      await new Promise((resolve) => setTimeout(resolve, 50));
      const token = `token-${random()}`;
      rememberSecrets([token]);
      given.push(token);
      return { status: 200, body: { token_type: "Bearer", access_token: token, expires_in: 3_600 } };
    });
    const azure = await startServer(({ headers }) =>
      headers.authorization === `Bearer ${given.at(-1)}` && headers["api-key"] === undefined
        ? { status: 200, body: COMPLETION }
        : {
            status: 401,
            body: { statusCode: 401, message: "Unauthorized. Access token is missing, invalid, or have expired." },
          },
    );
    const bedrock = await startServer(async ({ method, path, headers, body }) => {
      const named = ["content-type", "x-amz-date"].map((name) => [name, String(headers[name])] as const);
      const stamp = String(headers["x-amz-date"]);
      const nowMs = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
      const signed = await signAsAws({
        keys: keysOf("AKIDEXAMPLE", AWS_SECRET),
        region: REGION,
        service: "bedrock",
        method,
        host: String(headers.host),
        path,
        body,
        nowMs,
        headers: Object.fromEntries(named.slice(0, 1)),
      });
      const same = signed["authorization"] === headers.authorization;
      signatures.push(same);
      return same
        ? { status: 200, body: COMPLETION }
        : {
            status: 403,
            body: { message: "The request signature we calculated does not match the signature you provided." },
          };
    });
    servers = [login, azure, bedrock];
    rememberSecrets([AWS_SECRET, CLIENT_SECRET]);
    stage = await serveCatalogue({
      adminToken: ADMIN_TOKEN,
      catalogueAt: () => ({
        providers: [
          { name: "azure", base_url: `${azure.url}/openai/v1`, credential: "entra" },
          { name: "bedrock", base_url: `${bedrock.url}/openai/v1`, credential: "aws" },
        ],
        models: ["azure", "bedrock"].map((provider) => ({
          id: provider,
          provider,
          max_output_tokens: 100,
          price: { input: "1000", output: "1000" },
          routes: [{ provider, upstream_model: "m", format: "chat" }],
        })),
      }),
      settings: {
        TOLLGATE_CREDENTIAL_ALLOWED_REFERENCES: `entra=${azure.url}, aws=${bedrock.url}`,
        AZURE_AUTHORITY_HOST: login.url,
        AZURE_TENANT_ID: randomUUID(),
        AZURE_CLIENT_ID: randomUUID(),
        AZURE_CLIENT_SECRET: CLIENT_SECRET,
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: AWS_SECRET,
        AWS_REGION: REGION,
      },
    });
    const { url: publicUrl, adminUrl } = stage.served;
    gateway = { publicUrl, adminUrl, adminToken: ADMIN_TOKEN } as GatewayProcess;
    key = (await issueKey(gateway, { credit: "100" })).secret;
  });
  afterAll(async () => {
    await stage?.stop();
    for (const { close } of servers ?? []) close();
  });

  const chat = (model: string, at = gateway.publicUrl): Promise<Reply> =>
    knock(`${at}/v1/chat/completions`, {
      method: "POST",
      headers: [...bearer(key), ...JSON_TYPE],
      body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
    });

  test("a token is there before the first request, and a crowd asks for no second one", async () => {
    await until(() => given.length > 0, "the token was asked for at the start");
    const replies = await Promise.all(Array.from({ length: 40 }, () => chat("azure")));

    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(questions).toBe(1);
  });

  test("AWS's own signer comes to the same signature, and what is charged is what was answered", async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => chat("bedrock")));

    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(signatures)).toEqual(new Set([true]));
  });

  test("what is refused as expired too soon after the last question is told as ours, and no storm follows", async () => {
    const before = questions;
    given.push("revoked-by-the-cloud");
    const replies = await Promise.all(Array.from({ length: 20 }, () => chat("azure")));

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([502]));
    expect(questions - before).toBeLessThanOrEqual(1);
    given.pop();
  });

  test("an operator sees the reference, and certifies such a provider with the identity of the place", async () => {
    const tollgate = (...words: string[]) => runTollgate(words, { cwd: stage.folder, env: stage.environment });
    const listed = await tollgate("providers", "list", "--json");
    const certified = await tollgate("providers", "certify", "azure", "--spend", "100", "--yes", "--json");

    expect(listed.stdout).toContain('"credential": "entra"');
    // It is a server that answers everything alike, which is why it fails; a text it gives whoever proves who they are.
    expect(certified.code).toBe(1);
    const { models } = JSON.parse(certified.stdout) as {
      models: { trials: { id: string; outcome: string }[] }[];
    };
    expect(models[0]?.trials).toContainEqual(expect.objectContaining({ id: "wrong-credential", outcome: "passed" }));
  });

  test("a process whose cloud is frozen says so, asks it seldom, and serves once it answers", async () => {
    authority = "frozen";
    const before = questions;
    const { folder, environment } = stage;
    const process = await startServeProcess({ folder, environment });
    const ask = (): Promise<Reply> => chat("azure", process.url);
    try {
      const startedAtMs = performance.now();
      const first = await Promise.all(Array.from({ length: 20 }, ask));
      expect(new Set(first.map(({ status }) => status))).toEqual(new Set([502]));
      expect(performance.now() - startedAtMs).toBeLessThan(25_000);
      await until(() => process.output().includes("there was no answer within"), "the log says why");
      authority = "refuses";
      await until(async () => {
        await ask();
        return process.output().includes("AADSTS7000215");
      }, "the log says what the cloud says");
      const refused = questions - before;
      expect(refused).toBeLessThan(12);

      authority = "well";
      await until(async () => (await ask()).status === 200, "it serves again", 90_000);
      expect(process.output()).not.toContain(CLIENT_SECRET);
    } finally {
      authority = "well";
      await process.stop();
    }
  });

  test("no credential of a cloud is in the log", () => {
    const log = stage.served.output();
    for (const secret of [AWS_SECRET, CLIENT_SECRET, ...given]) expect(log).not.toContain(secret);
  });
});
