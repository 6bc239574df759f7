import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { onlyStraight } from "../../support/provider-dialect.ts";
import { until } from "../../support/until.ts";
import { bearer, knock } from "../knock.ts";
import { operate } from "../operator.ts";

const FORMATS = {
  chat: { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "Hello", of_next_year: 1 }] } },
  responses: { path: "/v1/responses", body: { input: [{ role: "user", content: "Hello", of_next_year: 1 }] } },
  messages: { path: "/v1/messages", body: { messages: [{ role: "user", content: "Hello", of_next_year: 1 }] } },
} as const;
type Format = keyof typeof FORMATS;
const NAMES = Object.keys(FORMATS) as Format[];
const UNKNOWN = { min_p: 0.1, made_up: { a: [1] }, reasoning_format: "raw" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(NAMES.map((dialect) => [`told-${dialect}`, { upstream: "sim", dialect }])),
  });
  const base = { base_url: `${gateway.simulatorUrl}/v1`, credential: "env:SIMULATED_PROVIDER_KEY" };
  await operate<unknown>(gateway, "POST /providers", { name: "usual", ...base });
  await operate<unknown>(gateway, "POST /providers", {
    name: "closed",
    ...base,
    unknown_members: "drop",
    open_members: [],
  });
  for (const provider of ["usual", "closed"])
    for (const dialect of NAMES) {
      await operate<unknown>(gateway, "POST /models", {
        id: `${provider}-${dialect}`,
        context_window: 100_000,
        max_output_tokens: 1_000,
        price: { input: "1", output: "1" },
        route: { provider, upstream_model: "sim", format: dialect },
      });
    }
});
afterAll(() => gateway.stop());
beforeEach((context) => onlyStraight(context, "a translation tells a provider nothing that it does not know"));

async function ask(format: Format, provider: string, ...headers: string[]) {
  const { path, body } = FORMATS[format];
  const reply = await knock(`${gateway.publicUrl}${path}`, {
    method: "POST",
    headers: [...bearer(gateway.keys.credit), "content-type", "application/json", ...headers],
    body: JSON.stringify({ model: `${provider}-${format}`, ...body, ...UNKNOWN }),
  });
  return { ...reply, told: (await gateway.witness()).at(-1)?.body as Record<string, unknown> };
}

const turnsOf = (told: Record<string, unknown>): unknown => told["messages"] ?? told["input"];

describe.each(NAMES)("a member that nobody knows, in %s", (format) => {
  test("is told to a provider whose row forwards it [BOD-1] [BOD-38]", async () => {
    const { status, headers, told } = await ask(format, "told");

    expect(status).toBe(200);
    expect(headers["x-tollgate-fidelity"]).toBe("exact");
    expect(told).toMatchObject(UNKNOWN);
    expect(turnsOf(told)).toEqual([{ role: "user", content: "Hello", of_next_year: 1 }]);
  });

  test("is not told to others, unless it is open, and is named as dropped [BOD-38] [BOD-39]", async () => {
    const { status, headers, told } = await ask(format, "usual");
    const place = format === "responses" ? "input" : "messages";

    expect(status).toBe(200);
    expect(headers["x-tollgate-fidelity"]).toBe(`exact; dropped=${place}.*.of_next_year,made_up`);
    expect(told).toMatchObject({ min_p: 0.1, reasoning_format: "raw" });
    expect(told).not.toHaveProperty("made_up");
    expect(turnsOf(told)).toEqual([{ role: "user", content: "Hello" }]);
  });

  test("is not told to a provider whose row opens none [BOD-38]", async () => {
    const { told } = await ask(format, "closed");

    expect(Object.keys(told)).toEqual(expect.not.arrayContaining(Object.keys(UNKNOWN)));
  });

  test("is a reason to refuse a caller that wants no loss [BOD-39]", async () => {
    const before = (await gateway.witness()).length;
    const { status, text } = await ask(format, "closed", "x-tollgate-fidelity", "strict");

    expect(status).toBe(400);
    expect(text).toContain("of_next_year: This model's provider doesn't support this field");
    expect(await gateway.witness()).toHaveLength(before);
  });
});

test("what was dropped is in the log line and in a metric that no caller can make large", async () => {
  await ask("chat", "closed");
  // Both are written after the answer.
  const dropped = `"dropped":"messages.*.of_next_year,min_p,made_up,reasoning_format"`;
  const log = join(gateway.folder, ".tollgate/tollgate.log");
  await until(async () => readFileSync(log, "utf8").includes(dropped), "the line is written");
  const counted = /^tollgate_dropped_members_total\{format="chat",provider="closed"\} \d+$/m;
  await until(async () => counted.test(await gateway.metrics()), "the metric counts it");

  expect(await gateway.metrics()).not.toContain("made_up");
});
