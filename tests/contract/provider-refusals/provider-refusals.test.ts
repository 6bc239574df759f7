import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { type Dialect, onlyStraight } from "../../support/provider-dialect.ts";
import { REFUSAL_EXAMPLES, TOLD } from "../../support/provider-refusals.ts";
import {
  beginning,
  ending,
  type ScriptedProvider,
  startScriptedProvider,
  whole,
} from "../../support/scripted-provider.ts";
import { ask, CHAT, MESSAGE, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey, type IssuedKey, makeKey, operate } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
const STRAIGHT = "the file says itself what its providers speak";
const WORDS = ["One ", "two."];
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, input_tokens: 3, output_tokens: 2 };
const MODERATED = REFUSAL_EXAMPLES.find(({ family, status }) => family === "OpenRouter" && status === 403);
const FLAGGED = { error: { code: 403, message: "Your input was flagged.", metadata: { reasons: ["violence"] } } };

/** One gateway, a provider that speaks every format, and another that would be asked after it. */
let scripted: ScriptedProvider;
let spare: ScriptedProvider;
let gateway: GatewayProcess;
beforeAll(async () => {
  [scripted, spare] = [await startScriptedProvider(), await startScriptedProvider()];
  const route = (provider: string, dialect: Dialect, priority: number): Record<string, unknown> => ({
    provider,
    upstream_model: "m",
    format: dialect,
    conformant: false,
    priority,
  });
  const routed = (dialect: Dialect, ...providers: string[]): TestModel => ({
    upstream: "sim+fail=504",
    dialect,
    priority: 9,
    moreRoutes: providers.map((provider, place) => route(provider, dialect, place)),
  });
  gateway = await startGatewayProcess({
    providers: [
      { name: "scripted", base_url: scripted.url, credential: "none" },
      { name: "spare", base_url: spare.url, credential: "none" },
    ],
    models: Object.fromEntries([
      ...OPERATIONS.map(({ dialect }) => [dialect, routed(dialect, "scripted", "spare")] as const),
      ...OPERATIONS.map(({ dialect }) => [`${dialect}-rows`, routed(dialect, "scripted", "spare")] as const),
    ]),
  });
});
afterAll(async () => {
  scripted.close();
  spare.close();
  await gateway.stop();
});

/** What its format asks with, with these words as the prompt. */
const saying = ({ dialect }: Operation, prompt: string, model: string = dialect): object =>
  dialect === "responses" ? { model, input: prompt } : { model, messages: [{ role: "user", content: prompt }] };

/** How often a call of the operation's own route failed. */
async function failuresOf({ dialect }: Operation): Promise<number[]> {
  type Route = { provider: string; format: string; failed: number };
  const { data } = await operate<{ data: Route[] }>(gateway, "GET /health/routes");
  return data
    .filter(({ provider, format }) => provider === "scripted" && format === dialect)
    .map(({ failed }) => failed);
}

/** The different amounts that a key was charged. */
const amountsOf = async (key: IssuedKey): Promise<string[]> => [
  ...new Set((await chargesOf(gateway, key)).map(({ amount }) => amount)),
];

describe.each(OPERATIONS)("of $dialect", (operation) => {
  const { dialect } = operation;

  test("eight flagged prompts of one key are its own 400s, cost nothing and ask nobody else; another key is served by the same route [UPS-6] [UPS-12]", async (context) => {
    onlyStraight(context, STRAIGHT);
    scripted.refuse("flagged", { status: 403, body: MODERATED?.body ?? "" });
    scripted.answer(whole(dialect, WORDS, USAGE));
    const [one, other] = [await issueKey(gateway, { credit: "1" }), await makeKey(gateway)];
    const before = spare.asked();
    for (let call = 0; call < 8; call++) {
      const fields = saying(operation, `flagged ${call}`);
      const reply = await ask(operation, { gateway, key: one.secret, fields: { ...fields, stream: call % 2 === 1 } });

      const message = expectRefused(operation, reply, { status: 400, code: "invalid_request" });
      expect(message).toMatch(/Your input was flagged for "violence"/);
    }
    const served = await ask(operation, { gateway, key: other.secret, fields: saying(operation, "harmless") });

    expect(served.status).toBe(200);
    expect(await amountsOf(one)).toEqual(["0"]);
    expect(spare.asked()).toBe(before);
    expect(new Set(await failuresOf(operation))).toEqual(new Set([0]));
  });

  test("a refusal of the prompt within an answer of 200 is 400, costs nothing and says nothing of the route, streamed or not [UPS-6] [UPS-12]", async (context) => {
    onlyStraight(context, STRAIGHT);
    const error = dialect === "messages" ? { type: "invalid_request_error", message: "Flagged." } : FLAGGED.error;
    const said = JSON.stringify(dialect === "chat" ? FLAGGED : { type: "error", error });
    const key = await issueKey(gateway, { credit: "1" });
    for (const stream of [true, false]) {
      const body = stream ? `event: error\ndata: ${said}\n\n` : said;
      scripted.refuse("tainted", { status: 200, body, type: stream ? "text/event-stream" : "application/json" });
      for (let call = 0; call < 6; call++) {
        const fields = { ...saying(operation, `tainted ${call}`), stream };
        const reply = await ask(operation, { gateway, key: key.secret, fields });

        expectRefused(operation, reply, { status: 400, code: "invalid_request" });
      }
    }

    expect(await amountsOf(key)).toEqual(["0"]);
    expect(new Set(await failuresOf(operation))).toEqual(new Set([0]));
  });

  test("a stream that ends before it says anything is 502 and costs nothing [UPS-8] [ERR-19]", async (context) => {
    onlyStraight(context, STRAIGHT);
    const end = dialect === "messages" ? ending(dialect, [], USAGE).at(-1) : "data: [DONE]\n\n";
    scripted.refuse("speechless", { status: 200, body: end ?? "", type: "text/event-stream" });
    const key = await issueKey(gateway, { credit: "1" });
    const fields = { ...saying(operation, "speechless"), stream: true };
    const reply = await ask(operation, { gateway, key: key.secret, fields });

    expectRefused(operation, reply, { status: 502, code: "upstream_error", retry: "unsaid" });
    expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "upstream_failed", amount: "0" }]);
    scripted.say([...beginning(dialect, WORDS), ...ending(dialect, WORDS, USAGE)]);
    expect((await ask(operation, { gateway, fields: { ...saying(operation, "go on"), stream: true } })).status).toBe(
      200,
    );
  });

  test("every refusal of a prompt in the table is 400 through a running gateway, whatever its status [UPS-6] [UPS-12] [LIM-7]", async (context) => {
    onlyStraight(context, STRAIGHT);
    const before = spare.asked();
    const rows = REFUSAL_EXAMPLES.filter(({ about, status }) => status !== 200 && /^(request|too_long)$/.test(about));
    for (const [place, { status, body, headers, about }] of rows.entries()) {
      // A name in a header is Amazon's alone, and is read in tests of its own.
      if (Object.keys(headers).length > 0) continue;
      scripted.refuse(`row ${place} of ${dialect}.`, { status, body });
      const fields = saying(operation, `row ${place} of ${dialect}.`, `${dialect}-rows`);
      const reply = await ask(operation, { gateway, fields });

      expectRefused(operation, reply, { status: 400, code: TOLD[about].code });
    }
    expect(spare.asked()).toBe(before);
  });

  test("a provider's own 408 or 504 is its timeout [ERR-20] [ERR-21]", async (context) => {
    onlyStraight(context, STRAIGHT);
    const late = { status: 504, code: "upstream_timeout", retry: "unsaid" } as const;
    const told = operation === MESSAGE ? late : { ...late, status: 502, code: "upstream_error" };
    for (const status of [408, 504]) {
      for (const provider of [scripted, spare]) provider.refuse("late", { status, body: "{}" });
      const reply = await ask(operation, { gateway, fields: saying(operation, "late") });

      expectRefused(operation, reply, told);
    }
  });
});
