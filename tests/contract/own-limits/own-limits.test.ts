import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onlyStraight } from "../../support/provider-dialect.ts";
import { type ScriptedGateway, startScriptedGateway, WAYS } from "../../support/scripted-gateway.ts";
import { beginning } from "../../support/scripted-provider.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey, operate } from "../operator.ts";

const MEBIBYTE = 1_048_576;
const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
const WORDS = Array.from({ length: 500 }, () => "word ");

let scripted: ScriptedGateway["scripted"];
let gateway: ScriptedGateway["gateway"];
let stop: ScriptedGateway["stop"];
beforeAll(async () => {
  ({ scripted, gateway, stop } = await startScriptedGateway({
    models: { echoing: { upstream: "sim+input=2000+tokens=10000", dialect: "responses" } },
  }));
});
afterAll(() => stop?.());

type Route = { provider: string; format: string; success_rate: number; breaker: string; last_errors: unknown[] };
const blamed = async (): Promise<Route[]> => {
  const { data } = await operate<{ data: Route[] }>(gateway, "GET /health/routes");
  return data.filter(({ last_errors: errors, breaker }) => errors.length > 0 || breaker !== "closed");
};

test("a last event that repeats long instructions is no larger than it may be: the answer is whole and charged in full [MON-21]", async () => {
  const key = await issueKey(gateway, { credit: "50" });
  const fields = { model: "echoing", max_output_tokens: 12_000, instructions: " ".repeat(8 * MEBIBYTE - 3_000) };
  const { text } = await readAll(await openStream(RESPONSES, { gateway, key: key.secret, fields }));

  expect(text.includes("event: response.completed")).toBe(true);
  expect(await chargesOf(gateway, key)).toMatchObject([
    { kind: "completed", amount: "-0.042", input_tokens: 2_000, output_tokens: 10_000 },
  ]);
});

describe.each(WAYS)("$name", ({ operation, provider, name }) => {
  const open = (key: { secret: string }) =>
    openStream(operation, { gateway, key: key.secret, fields: { model: name, [operation.limitField]: 4_000 } });

  test("a stream that a limit of ours ends is charged as delivered, told to its caller, and not blamed on the route [MON-44]", async (context) => {
    onlyStraight(context, "the file says itself which formats meet");
    const huge = "x".repeat(8 * MEBIBYTE + 100_000);
    scripted.say([...beginning(provider, [...WORDS, huge])]);
    const key = await issueKey(gateway, { credit: "1" });
    const { text } = await readAll(await open(key));
    const [charge] = await chargesOf(gateway, key);

    expect(text.split("word ").length).toBe(501);
    expect(text.slice(-700)).toContain("limit");
    expect(/\[DONE\]|response\.completed|message_stop/.test(text)).toBe(false);
    expect(charge).toMatchObject({ kind: "timed_out" });
    // 500 words at 4,000 nano-credits each, and the input.
    expect(-Number(charge?.amount)).toBeGreaterThanOrEqual(0.002);
    expect(-Number(charge?.amount)).toBeLessThan(0.0022);
    expect(await blamed()).toEqual([]);
  });
});

test.for(OPERATIONS)(
  "a plain answer of $dialect past its limit is 502, costs nothing, and is not blamed on the route [MON-44]",
  async (operation: Operation, context) => {
    onlyStraight(context, "the file says itself which formats meet");
    const name = `${operation.dialect}-${operation.dialect}-untouched`;
    scripted.answer(`{"padding":"${"x".repeat(64 * MEBIBYTE + 10_000)}"}`);
    const key = await issueKey(gateway, { credit: "1" });
    const { status, text } = await ask(operation, { gateway, key: key.secret, fields: { model: name } });

    expect(status).toBe(502);
    expect(text).toContain("bytes, the limit without streaming");
    expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "upstream_failed", amount: "0" }]);
    expect(await blamed()).toEqual([]);
  },
);
