import type { Message, MessageCreateParamsNonStreaming, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources";
import type { Installed } from "../install-once.ts";
import { installPackages, load } from "../npm-packages.ts";

const PACKAGES = {
  "@anthropic-ai/bedrock-sdk": "1.1.2",
  "@anthropic-ai/vertex-sdk": "1.1.3",
  "@anthropic-ai/foundry-sdk": "1.1.1",
};

/** What these tests use of a client of messages, which is alike in all clouds. */
export type CloudClient = {
  messages: {
    create: (ask: MessageCreateParamsNonStreaming) => Promise<Message>;
    stream: (ask: MessageCreateParamsNonStreaming) => AsyncIterable<RawMessageStreamEvent> & {
      finalMessage: () => Promise<Message>;
    };
    countTokens: (ask: object) => Promise<{ input_tokens: number }>;
  };
};

type Client = new (options: object) => CloudClient;

/** The clients that Anthropic makes for clouds. */
export const installCloudSdks = (): Promise<Installed> => installPackages("anthropic-clouds", PACKAGES);

const SIGNED = { awsAccessKey: "AKIDEXAMPLE", awsSecretKey: "secret", awsSessionToken: "session" };
const RETRIES = { maxRetries: 0 };

/** A client with keys that it signs with, or with a key of Bedrock's own. */
export function bedrockClient(installed: Installed, baseURL: string, how: "signed" | "bearer"): CloudClient {
  const { AnthropicBedrock } = load<{ AnthropicBedrock: Client }>(installed, "@anthropic-ai/bedrock-sdk");
  const credential = how === "signed" ? SIGNED : { apiKey: "a-key-of-bedrock" };
  return new AnthropicBedrock({ baseURL, awsRegion: "eu-central-1", ...credential, ...RETRIES });
}

export function vertexClient(installed: Installed, baseURL: string): CloudClient {
  const { AnthropicVertex } = load<{ AnthropicVertex: Client }>(installed, "@anthropic-ai/vertex-sdk");
  const authClient = {
    projectId: "acme",
    getRequestHeaders: () => Promise.resolve(new Headers({ authorization: "Bearer ya29.token" })),
  };
  return new AnthropicVertex({ baseURL, region: "europe-west4", projectId: "acme", authClient, ...RETRIES });
}

/** With a key, or with a token of Entra. */
export function foundryClient(installed: Installed, baseURL: string, how: "key" | "entra"): CloudClient {
  const { AnthropicFoundry } = load<{ AnthropicFoundry: Client }>(installed, "@anthropic-ai/foundry-sdk");
  const credential =
    how === "key" ? { apiKey: "a-key" } : { azureADTokenProvider: () => Promise.resolve("an-entra-token") };
  return new AnthropicFoundry({ baseURL, ...credential, ...RETRIES });
}
