import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { translates } from "../../support/provider-dialect.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey } from "../operator.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
/** Stands in every value that must not get through. */
const SMUGGLED = "smuggled-value";
const LIMIT = 10;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(OPERATIONS.map((operation) => [operation.dialect, modelFor(operation, "sim+tokens=4")])),
  });
});
afterAll(() => gateway.stop());

const SAID = { role: "user", content: "Hello", Content: SMUGGLED };
const TOOL = { name: "f", description: "d" };
const SCHEMA = { type: "object", properties: { Name: { type: "string" } } };

/** Names that a server which does not mind case would take for those that are sold, at the top and within; by their places. */
const VARIANTS: Record<Operation["dialect"], { fields: object; places: readonly string[] }> = {
  chat: {
    fields: {
      messages: [SAID],
      tools: [{ type: "function", function: { ...TOOL, parameters: SCHEMA, Strict: true }, TYPE: "function" }],
      stream_options: { Include_Usage: false, include_usage: true },
      MAX_TOKENS: 100_000,
      Max_Completion_Tokens: 100_000,
      N: 8,
      "\u017Ftop": SMUGGLED,
    },
    places: [
      "messages.*.Content",
      "tools.*.function.Strict",
      "tools.*.TYPE",
      "stream_options.Include_Usage",
      "MAX_TOKENS",
      "Max_Completion_Tokens",
      "N",
      "unknown",
    ],
  },
  responses: {
    fields: {
      input: [SAID],
      tools: [{ type: "function", ...TOOL, parameters: SCHEMA, strict: false, Type: "function" }],
      reasoning: { Effort: "high" },
      Max_Output_Tokens: 100_000,
      STORE: true,
    },
    places: ["input.*.Content", "tools.*.Type", "reasoning.Effort", "Max_Output_Tokens", "STORE"],
  },
  messages: {
    fields: {
      messages: [SAID],
      tools: [{ ...TOOL, input_schema: SCHEMA, Cache_Control: { type: "ephemeral", ttl: "1h" } }],
      thinking: { type: "disabled", Budget_Tokens: 100_000 },
      Max_Tokens: 100_000,
      METADATA: { user_id: SMUGGLED },
    },
    places: ["messages.*.Content", "tools.*.Cache_Control", "thinking.Budget_Tokens", "Max_Tokens", "METADATA"],
  },
};
const RETRIES = { fallbacks: [{ model: SMUGGLED }], num_retries: 3, models: [SMUGGLED], route: "fallback" };

/** Names of one object that a reader who does not mind case would hold to be one. */
function twins(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(twins);
  if (typeof value !== "object" || value === null) return [];
  const names = Object.keys(value).map((name) => name.toUpperCase().toLowerCase());
  return [...names.filter((name, at) => names.indexOf(name) !== at), ...Object.values(value).flatMap(twins)];
}

const droppedIn = (fidelity: unknown): string[] =>
  String(fidelity)
    .replace(/^.*dropped=/, "")
    .split(",");

describe.each(OPERATIONS)("$dialect", (operation) => {
  const { dialect, limitField } = operation;
  const { fields: variants, places } = VARIANTS[dialect];
  const own = { model: dialect, [limitField]: LIMIT };

  test.each([false, true])(
    "a name that differs from a known one by case alone is not told, costs nothing and is declared, stream %s [BOD-34] [BOD-39]",
    async (stream) => {
      // Enough for its own limit, and for nothing like the one that is written beside it.
      const key = await issueKey(gateway, { credit: "0.003" });
      const asked = { gateway, key: key.secret, fields: { ...own, ...variants, stream } };
      const reply = stream ? await streamed(operation, asked) : await ask(operation, asked);
      const told = (await gateway.witness()).at(-1)?.body;

      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(droppedIn(reply.headers["x-tollgate-fidelity"])).toEqual(expect.arrayContaining([...places]));
      expect(JSON.stringify(told)).not.toContain(SMUGGLED);
      expect(JSON.stringify(told)).not.toContain("100000");
      expect(twins(told)).toEqual([]);
      // What stands in a schema is the caller's own.
      expect(JSON.stringify(told)).toContain('"Name"');
      expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed" }]);
    },
  );

  test("what asks for another try with another model is not told, and is declared [BOD-46]", async () => {
    const reply = await ask(operation, { gateway, fields: { ...own, ...RETRIES } });
    const told = (await gateway.witness()).at(-1)?.body as object;

    expect(reply.status).toBe(200);
    const way = translates() ? "translated" : "exact";
    expect(reply.headers["x-tollgate-fidelity"]).toBe(`${way}; dropped=${Object.keys(RETRIES).join(",")}`);
    expect(Object.keys(told)).toEqual(expect.not.arrayContaining(Object.keys(RETRIES)));
    expect(JSON.stringify(told)).not.toContain(SMUGGLED);
  });

  test("a caller that wants no loss is refused for either [BOD-34] [BOD-39] [BOD-46]", async () => {
    const before = (await gateway.witness()).length;
    const strict = ["x-tollgate-fidelity", "strict"];
    for (const [name, value] of [
      [limitField.toUpperCase(), 100_000],
      ["fallbacks", [{ model: "m" }]],
    ] as const) {
      const reply = await ask(operation, { gateway, fields: { ...own, [name]: value }, headers: strict });

      expect(reply.status).toBe(400);
      expect(reply.text).toContain(`${name}: `);
    }
    expect(await gateway.witness()).toHaveLength(before);
  });
});

/** Of a cache that no price names. A provider that translates has no word for any of it. */
const LONG_CACHES = { prompt_cache_retention: "24h", prompt_cache_options: { mode: "explicit", ttl: "12h" } };
const LONG_PLACES = ["prompt_cache_retention", translates() ? "prompt_cache_options" : "prompt_cache_options.ttl"];

describe.each([CHAT, RESPONSES])("$dialect", (operation) => {
  const own = { model: operation.dialect, [operation.limitField]: LIMIT };

  test.each([false, true])(
    "a cache for longer than a price can name is not asked for, and is declared, stream %s [BOD-42]",
    async (stream) => {
      const asked = { gateway, fields: { ...own, ...LONG_CACHES, stream } };
      const reply = stream ? await streamed(operation, asked) : await ask(operation, asked);
      const told = JSON.stringify((await gateway.witness()).at(-1)?.body);

      expect(reply.status).toBe(200);
      expect(droppedIn(reply.headers["x-tollgate-fidelity"])).toEqual(expect.arrayContaining(LONG_PLACES));
      expect(told).not.toMatch(/24h|12h/);
      expect(told.includes('"prompt_cache_options":{"mode":"explicit"}')).toBe(!translates());
    },
  );

  test("a client that keeps its prompts out of caches on disks is heard, and one that wants no loss is refused a day [BOD-42]", async () => {
    const short = await ask(operation, { gateway, fields: { ...own, prompt_cache_retention: "in_memory" } });
    const told = JSON.stringify((await gateway.witness()).at(-1)?.body);
    const strict = ["x-tollgate-fidelity", "strict"];
    const day = await ask(operation, { gateway, fields: { ...own, ...LONG_CACHES }, headers: strict });

    expect(short.status).toBe(200);
    expect(told.includes("in_memory")).toBe(!translates());
    expect(day.status).toBe(400);
    expect(day.text).toContain("prompt_cache_");
  });
});

async function streamed(operation: Operation, asked: Parameters<typeof openStream>[1]) {
  const answer = await openStream(operation, asked);
  const { text } = await readAll(answer);
  return { status: answer.statusCode, headers: answer.headers, text };
}
