import type { Installed } from "../install-once.ts";
import { installPackages, load } from "../npm-packages.ts";

const PACKAGES = { "@aws-sdk/client-bedrock-runtime": "3.1162.0", "@smithy/node-http-handler": "4.14.2" };

type Json = Record<string, unknown>;
export type ConverseAsk = { modelId: string; messages: object[] } & Json;
export type ConverseEvent = Record<string, Json | undefined>;
type Said = {
  output?: { message?: { content: Json[] } };
  stopReason?: string;
  usage?: Json;
  stream?: AsyncIterable<ConverseEvent>;
};

/** What these tests use of Amazon's own client. */
export type AmazonClient = {
  converse: (ask: ConverseAsk) => Promise<Said>;
  stream: (ask: ConverseAsk) => Promise<ConverseEvent[]>;
};

type Sdk = {
  BedrockRuntimeClient: new (options: object) => { send: (command: object) => Promise<Said>; destroy: () => void };
  ConverseCommand: new (ask: ConverseAsk) => object;
  ConverseStreamCommand: new (ask: ConverseAsk) => object;
};

export const installAmazonSdk = (): Promise<Installed> => installPackages("bedrock-runtime", PACKAGES);

/** A client with keys that it signs with, or with a key of Bedrock's own. */
export function amazonClient(installed: Installed, endpoint: string, how: "signed" | "bearer"): AmazonClient {
  const { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } = load<Sdk>(
    installed,
    "@aws-sdk/client-bedrock-runtime",
  );
  // By itself it speaks the second version of HTTP, which no server here does.
  const { NodeHttpHandler } = load<{ NodeHttpHandler: new () => object }>(installed, "@smithy/node-http-handler");
  const credential =
    how === "signed"
      ? { credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" } }
      : { token: { token: "a-key-of-bedrock" }, authSchemePreference: ["httpBearerAuth"] };
  const client = new BedrockRuntimeClient({
    endpoint,
    region: "eu-central-1",
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
    ...credential,
  });
  return {
    converse: (ask) => client.send(new ConverseCommand(ask)),
    stream: async (ask) => {
      const { stream } = await client.send(new ConverseStreamCommand(ask));
      return Array.fromAsync(stream ?? []);
    },
  };
}
