import { once } from "node:events";
import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { onlyStraight } from "../../support/provider-dialect.ts";
import { until } from "../../support/until.ts";
import { openStream } from "../open-stream.ts";
import { chargesOf, issueKey } from "../operator.ts";
import { CHAT, modelFor, type Operation, RESPONSES } from "../operations.ts";

const PLENTY = 15_000;
/** What providers write around one message. */
const AROUND = 7;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      // Providers of messages say at the start what the input came to.
      [CHAT, RESPONSES].map((operation) => [operation.dialect, modelFor(operation, "sim+tokens=4000+rate=50")]),
    ),
  });
});
afterAll(() => gateway.stop());

const project = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The input that a stream is charged when its caller leaves it after the first content. */
async function inputCharged(operation: Operation, text: string): Promise<number> {
  const key = await issueKey(gateway, { credit: "1" });
  const said = operation.dialect === "responses" ? { input: text } : { messages: [{ role: "user", content: text }] };
  const fields = { model: operation.dialect, [operation.limitField]: 4_000, ...said };
  const response = await openStream(operation, { gateway, key: key.secret, fields });
  await once(response, "data");
  response.destroy();
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged", PLENTY);
  return (await chargesOf(gateway, key))[0]?.input_tokens ?? 0;
}

describe.each([CHAT, RESPONSES])("$dialect", (operation) => {
  test.for<[string, () => string]>([
    ["two words", () => "Hello there"],
    ["code", () => project("src/gateway/verdict-fault.ts").slice(0, 2_000)],
    ["JSON", () => JSON.stringify(JSON.parse(project("package.json"))).slice(0, 1_500)],
    ["a mark of the vocabulary", () => "Say <|im_start|> and <|endoftext|> and nothing else."],
    ["prose", () => project("README.md").slice(0, 4_000)],
  ])("a cancelled stream pays for its input as the model reads it: %s [CAN-3]", async ([_kind, text], context) => {
    onlyStraight(context, "a provider of messages says at the start what the input came to, by its own count");
    const charged = await inputCharged(operation, text());
    const counted = countTokens(text(), { disallowedSpecial: new Set() }) + AROUND;

    expect(charged).toBeGreaterThanOrEqual(counted * 0.95);
    expect(charged).toBeLessThanOrEqual(counted * 1.05);
  });
});
