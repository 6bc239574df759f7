import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeKey } from "../../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { installPackages, load } from "../../support/npm-packages.ts";
import { installPythonPackages, startPython } from "../../support/python-environment.ts";
import type { LineProgram } from "../../support/line-program.ts";
import { PACKAGES, PYTHON_PACKAGES } from "./versions.ts";

type Access = { origin: string; apiKey: string };
type Asked = { model: string; input: string[] };
type Embedded = { vectors: number[][]; tokens: number | null };
type Client = (access: Access, asked: Asked) => Promise<Embedded>;

const INPUT = ["What is a toll gate?", "Who pays at it?", "Kraków"];
/** Four bytes for a token, as the simulated provider counts, each text by itself. */
const TOKENS = 5 + 4 + 2;

let gateway: GatewayProcess;
/** What the provider itself gives. */
let right: number[][];
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      // The names are OpenAI's: LangChain knows by them which vocabulary counts.
      "text-embedding-3-small": { dialect: "embeddings", upstream: "sim-embed", price: { input: "0.02" } },
      floats: { dialect: "embeddings", upstream: "sim-embed+vectors=floats", price: { input: "0.02" } },
    },
  });
  const response = await fetch(`${gateway.simulatorUrl}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: "Bearer any", "content-type": "application/json" },
    body: JSON.stringify({ model: "sim-embed", input: INPUT }),
  });
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  right = data.map(({ embedding }) => embedding);
});
afterAll(() => gateway.stop());

const langchain = await installPackages("langchain", PACKAGES.langchain);
const vercel = await installPackages("vercel-ai", PACKAGES.vercelAi);
const python = await installPythonPackages("openai", PYTHON_PACKAGES.openai);

const openaiJs =
  (options: Pick<OpenAI.EmbeddingCreateParams, "encoding_format">): Client =>
  async ({ origin, apiKey }, asked) => {
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0 });
    const { data, usage } = await client.embeddings.create({ ...asked, ...options });
    return { vectors: data.map(({ embedding }) => embedding), tokens: usage.prompt_tokens };
  };

type LangChain = {
  OpenAIEmbeddings: new (options: object) => { embedDocuments: (texts: string[]) => Promise<number[][]> };
};

const langChainJs: Client = async ({ origin, apiKey }, { model, input }) => {
  const { OpenAIEmbeddings } = load<LangChain>(langchain, "@langchain/openai");
  const configuration = { baseURL: `${origin}/v1` };
  const client = new OpenAIEmbeddings({ apiKey, model, configuration, maxRetries: 0, batchSize: 2 });
  return { vectors: await client.embedDocuments(input), tokens: null };
};

type EmbedMany = (ask: object) => Promise<{ embeddings: number[][]; usage: { tokens: number } }>;
type Provider = Record<string, (id: string) => object>;

const aiSdk =
  (from: string, name: string, method: string): Client =>
  async ({ origin, apiKey }, { model, input: values }) => {
    const { embedMany } = load<{ embedMany: EmbedMany }>(vercel, "ai");
    const create = load<Record<string, (options: object) => Provider>>(vercel, from)[name];
    const provider = create?.({ name: "tollgate", baseURL: `${origin}/v1`, apiKey });
    const made = provider?.[method]?.(model);
    if (made === undefined) throw new Error(`${from} has no ${method}`);
    const { embeddings, usage } = await embedMany({ model: made, values, maxRetries: 0 });
    return { vectors: embeddings, tokens: usage.tokens };
  };

let program: LineProgram | undefined;
beforeAll(() => {
  if (python.folder !== null)
    program = startPython(python.folder, join(import.meta.dirname, "programs/openai_embeddings.py"));
});
afterAll(() => program?.stop());

const openaiPython =
  (awaited: boolean, options: object): Client =>
  async (access, asked) => {
    type Answer = { result?: Embedded; error?: object };
    const { result, error } = (await program?.ask<Answer>({ ...access, ...asked, awaited, options })) ?? {};
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  };

const CLIENTS: [title: string, client: Client, missing: string | null][] = [
  ["openai (JavaScript), base64 as it asks by itself", openaiJs({}), null],
  ["openai (JavaScript), numbers", openaiJs({ encoding_format: "float" }), null],
  ["openai (Python), synchronous, base64 as it asks by itself", openaiPython(false, {}), python.missing],
  ["openai (Python), asynchronous, numbers", openaiPython(true, { encoding_format: "float" }), python.missing],
  ["@langchain/openai, OpenAIEmbeddings", langChainJs, langchain.missing],
  ["ai, embedMany with @ai-sdk/openai", aiSdk("@ai-sdk/openai", "createOpenAI", "embedding"), vercel.missing],
];

describe.each(CLIENTS)("%s", (_title, client, missing) => {
  test.skipIf(missing !== null).each(["text-embedding-3-small", "floats"])(
    "reads the vectors of %s as the provider gives them, and the charge is that of their tokens [EMB-5] [EMB-6] [EMB-10]",
    async (model) => {
      const { secret: apiKey } = await makeKey(gateway, { credit: "1" });
      const { vectors, tokens } = await client({ origin: gateway.publicUrl, apiKey }, { model, input: INPUT });

      expect(vectors).toEqual(right);
      expect(tokens ?? TOKENS).toBe(TOKENS);
      const usage = await fetch(`${gateway.publicUrl}/v1/usage`, { headers: { authorization: `Bearer ${apiKey}` } });
      expect(await usage.json()).toMatchObject({ credits: { used: TOKENS * 0.000_000_02, reserved: 0 } });
    },
  );

  test.skipIf(missing !== null)("a token-budget key works under its own origin [EMB-1]", async () => {
    const { secret: apiKey } = await makeKey(gateway, { mode: "token_budget", budget: 10_000 });
    const origin = `${gateway.publicUrl}/token`;
    const { vectors } = await client({ origin, apiKey }, { model: "text-embedding-3-small", input: INPUT });

    expect(vectors).toEqual(right);
  });

  test.skipIf(missing !== null)("a refusal reaches the caller as an error", async () => {
    const { secret: apiKey } = await makeKey(gateway, { credit: "0" });
    const asked = { model: "text-embedding-3-small", input: INPUT };

    await expect(client({ origin: gateway.publicUrl, apiKey }, asked)).rejects.toThrow(
      /insufficient_credit|402|credit/,
    );
  });
});
