import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import type { WitnessedCall } from "../../support/simulator-process.ts";
import { createChatClient } from "./chat-client.ts";
import { type Client, CLIENTS, type CrossingClient, type Provider, PROVIDERS } from "./crossing-client.ts";
import { createMessagesClient } from "./messages-client.ts";
import { createResponsesClient } from "./responses-client.ts";

export type Pair = { client: Client; provider: Provider };
export const PAIRS: readonly Pair[] = CLIENTS.flatMap((client) => PROVIDERS.map((provider) => ({ client, provider })));

/** What a key has been charged, in total. */
export type Charged = { inputTokens: number; outputTokens: number; credits: number };

export type Witnessed = WitnessedCall & { dialect: Provider; streamed: boolean; body: Record<string, unknown> };

export type CrossingStage = {
  gateway: GatewayProcess;
  clients: Record<Client, CrossingClient>;
  modelOf: (pair: Pair, name: string) => string;
  charged: () => Promise<Charged>;
  /** The calls a provider has had since it was last asked. */
  newCalls: () => Promise<Witnessed[]>;
  /** What the gateway said of the last answer. */
  lastHeader: (name: string) => string | null;
};

/** Where the name of a model says what it takes. */
const NAMES: Partial<Record<Provider, string>> = { converse: "us.anthropic.claude-sonnet-4-6" };

/** A price that has searches, and for nothing, so that charges can be foretold. */
const SEARCHING_PRICE = { input: "1", output: "4", tools: { web_search: "0" } };

/** A gateway with a model for each pair and script, so that what one provides for no other has to bear. */
export async function startCrossingStage(scripts: Record<string, string>): Promise<CrossingStage> {
  const modelOf = ({ client, provider }: Pair, name: string): string => `${client}/${provider}/${name}`;
  const models = PAIRS.flatMap((pair) =>
    Object.entries(scripts).map(([name, script]): [string, TestModel] => [
      modelOf(pair, name),
      {
        upstream: `${NAMES[pair.provider] ?? "sim"}+${script}`,
        spoken: pair.provider,
        ...(name === "search" && { price: SEARCHING_PRICE }),
        capabilities: script.includes("thoughtless") ? { reasoning: false } : {},
      },
    ]),
  );
  const gateway = await startGatewayProcess({ models: Object.fromEntries(models) });
  let headers = new Headers();
  const watchedFetch: typeof fetch = async (...args) => {
    const answer = await fetch(...args);
    ({ headers } = answer);
    return answer;
  };
  const options = { apiKey: gateway.keys.credit, maxRetries: 0, fetch: watchedFetch };
  const openai = new OpenAI({ ...options, baseURL: `${gateway.publicUrl}/v1` });
  const anthropic = new Anthropic({ ...options, baseURL: gateway.publicUrl });
  let lastSeq = 0;

  return {
    gateway,
    clients: {
      chat: createChatClient(openai),
      responses: createResponsesClient(openai),
      messages: createMessagesClient(anthropic),
    },
    modelOf,
    charged: () => chargedSoFar(gateway),
    newCalls: async () => {
      const rows = await (await fetch(`${gateway.simulatorUrl}/sim/witness?since=${lastSeq}`)).text();
      const calls = rows
        .split("\n")
        .filter((row) => row !== "")
        .map((row) => JSON.parse(row) as Witnessed);
      lastSeq = calls.at(-1)?.seq ?? lastSeq;
      return calls;
    },
    lastHeader: (name) => headers.get(name),
  };
}

async function chargedSoFar({ publicUrl, keys }: GatewayProcess): Promise<Charged> {
  const answer = await fetch(`${publicUrl}/v1/usage`, { headers: { authorization: `Bearer ${keys.credit}` } });
  const { tokens, credits } = (await answer.json()) as {
    tokens: { input: number; output: number };
    credits: { used: number };
  };
  return { inputTokens: tokens.input, outputTokens: tokens.output, credits: credits.used };
}
