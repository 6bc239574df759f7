import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { notAt } from "../../support/provider-dialect.ts";
import { until } from "../../support/until.ts";
import { openStream, readAll } from "../open-stream.ts";
import { chargesOf, issueKey } from "../operator.ts";
import { CHAT, MESSAGE, modelFor, RESPONSES } from "../operations.ts";

/** How each format is told to think, and not to. */
const FORMATS = [
  { operation: CHAT, thinking: {}, plainly: { reasoning_effort: "none" }, word: '"content":"amber' },
  { operation: RESPONSES, thinking: {}, plainly: { reasoning: { effort: "none" } }, word: '"delta":"amber' },
  {
    operation: MESSAGE,
    thinking: { thinking: { type: "enabled", budget_tokens: 1_024 } },
    plainly: { thinking: { type: "disabled" } },
    word: '"text":"amber',
  },
];
/** A hundred tokens in at 1,000 nano-credits, 2,000 thought in secret and 200 said at 4,000. */
const SECRET = "sim+input=100+secret=2000+tokens=200+rate=1000";
/** The same, but it stops after 30 words, however late its caller leaves. */
const PAUSED = `${SECRET}+pause=30`;
/** 200 words take a fifth of a second, in which a busy machine may not come to leave. */
const MOST_TRIES = 10;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      FORMATS.flatMap(({ operation }) => [
        [`${operation.dialect}-secret`, modelFor(operation, SECRET)],
        [`${operation.dialect}-paused`, modelFor(operation, PAUSED)],
        [`${operation.dialect}-unknown`, modelFor(operation, `${PAUSED}+flush=each`)],
        [`${operation.dialect}-plain`, modelFor(operation, `${PAUSED}+hash`, { capabilities: { reasoning: false } })],
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

describe.each(FORMATS)("of $operation.dialect", ({ operation, thinking, plainly, word }) => {
  const fields = (model: string, more: object) => ({
    model: `${operation.dialect}-${model}`,
    [operation.limitField]: 4_000,
    ...more,
  });

  /** What it costs to leave after the first word. */
  async function leave(model: string, more: object, tries = 1): Promise<number> {
    const key = await issueKey(gateway, { credit: "1" });
    const response = await openStream(operation, { gateway, key: key.secret, fields: fields(model, more) });
    let text = "";
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    response.on("error", () => undefined);
    while (!text.includes(word)) await once(response, "data");
    response.destroy();
    await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
    const [charge] = await chargesOf(gateway, key);
    if (charge?.kind === "completed" && tries < MOST_TRIES) return leave(model, more, tries + 1);
    expect(charge?.kind).toBe("client_gone");
    return -Number(charge?.amount);
  }

  test("what a model thought in secret is paid for by a caller that leaves when it begins to speak [CAN-16]", async (context) => {
    notAt("converse", context, "it counts no thoughts, so that nobody learns from its answers that a model thinks");
    const key = await issueKey(gateway, { credit: "1" });
    await readAll(await openStream(operation, { gateway, key: key.secret, fields: fields("secret", thinking) }));
    const [whole] = await chargesOf(gateway, key);
    expect(whole).toMatchObject({ kind: "completed", amount: "-0.0089", output_tokens: 2_200 });

    const left = await leave("secret", thinking);
    // 2,000 tokens are 0.008. A busy machine makes the clock say more or less.
    expect(left).toBeGreaterThan(0.008 * 0.75);
    expect(left).toBeLessThan(0.008 * 1.75);
  });

  test("a model of which nobody has said that it reasons is charged what was delivered, however late it began [CAN-16]", async (context) => {
    notAt("gemini", context, "every event tells how many tokens were thought, so that nothing is estimated");
    // The input is 0.0001; two seconds at a hundred tokens a second would be 0.0008 more.
    expect(await leave("unknown", thinking)).toBeLessThan(0.0003);
  });

  test("a request that turned reasoning off, or a model that does not reason, is charged what was delivered [CAN-16]", async (context) => {
    notAt("gemini", context, "every event tells how many tokens were thought, so that nothing is estimated");
    expect(await leave("paused", plainly)).toBeLessThan(0.0003);
    expect(await leave("plain", {})).toBeLessThan(0.0003);
  });
});
