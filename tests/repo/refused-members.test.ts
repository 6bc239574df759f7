import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientDialect } from "../../src/core/request/dialect.ts";
import { MEMBERS } from "../../src/wire/members/member-tables.ts";
import { isRefused, type MemberRefusal } from "../../src/wire/members/refusal.ts";
import type { Shape } from "../../src/wire/members/shape.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";

const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const PATHS: Record<ClientDialect, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};
/** Stands in every refused value, so that it would be found wherever it came out. */
const MARK = "refused-marker";

/** A member that the table refuses: the names that lead to it, and a value for which it does. */
type Row = { way: readonly string[]; value: unknown };

/** What rows that refuse some values refuse. */
const VALUES = [MARK, true, "input_audio", "item_reference", "web_search", ["audio", MARK]];

/** Every row of a table, and again in whatever nests in itself: a result of a tool, a document within it. */
function rowsOf(shape: Shape, way: readonly string[] = [], above: readonly Shape[] = []): Row[] {
  if (above.filter((seen) => seen === shape).length > 2) return [];
  const beginnings = shape.prefixes.map(([prefix]) => ({ way: [...way, `${prefix}x`], value: MARK }));
  const members = [...shape.members].flatMap(([name, { refusal, media, inside }]) => [
    ...(refusal === null ? [] : [{ way: [...way, name], value: refusedValue(name, refusal) }]),
    ...(media === null ? [] : [{ way: [...way, name], value: `file:///${MARK}` }]),
    ...(inside === null ? [] : rowsOf(inside(), [...way, name], [...above, shape])),
  ]);
  return [...beginnings, ...members];
}

function refusedValue(name: string, refusal: MemberRefusal): unknown {
  const value = VALUES.find((candidate) => isRefused(candidate, refusal));
  if (value === undefined) throw new Error(`no value of ${name} is refused`);
  return value;
}

const LISTS = new Set(["messages", "input", "content", "tools", "output", "system", "tool_changes", "tool_references"]);

/** A body with nothing but the way to the value, and the mark beside it. */
function bodyOf([name, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  if (name === undefined) return {};
  const inner = rest.length === 0 ? value : bodyOf(rest, value);
  return { [name]: rest.length > 0 && LISTS.has(name) ? [inner] : inner };
}

/** All of them in the long run. A row is refused before a provider is chosen, so the gate has the next one for each. */
const providersOf = (turn: number): readonly ClientDialect[] =>
  process.env["TEST_LONG"] === "1" ? DIALECTS : DIALECTS.slice(turn % DIALECTS.length).slice(0, 1);

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(DIALECTS.map((dialect) => [`at-${dialect}`, { upstream: "sim", dialect }])),
  });
});
afterAll(() => gateway.stop());

async function ask(client: ClientDialect, body: object): Promise<{ status: number; message: string }> {
  const response = await fetch(`${gateway.publicUrl}${PATHS[client]}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? "" };
}

const told = async (): Promise<string> => JSON.stringify((await gateway.witness()).map(({ body }) => body));

test.each(DIALECTS)(
  "no row of the table of %s reaches a provider when it is sent openly [BOD-27]",
  async (client) => {
    const rows = rowsOf(MEMBERS[client]);
    const passed: string[] = [];
    for (const [turn, { way, value }] of rows.entries())
      for (const provider of providersOf(turn)) {
        const { status, message } = await ask(client, { model: `at-${provider}`, ...bodyOf(way, value) });
        const named = message.replaceAll(/\.\d+(?=[.:])/g, "").startsWith(`${way.join(".")}: `);
        if (status !== 400 || !named) passed.push(`${way.join(".")} at ${provider}: ${status} ${message}`);
      }

    expect(passed).toEqual([]);
    expect(rows.length).toBeGreaterThan(80);
    expect(await told()).toBe("[]");
  },
  240_000,
);

/** Where each format carries what was sealed for it, here by somebody who only knows what a seal looks like. */
const HIDDEN: Record<ClientDialect, (seals: readonly string[]) => object> = {
  chat: (seals) => ({
    messages: [
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: "Hi",
        reasoning_details: seals.map((signature) => ({ type: "reasoning.text", text: "x", signature })),
      },
      { role: "user", content: "Again" },
    ],
  }),
  responses: (seals) => ({
    input: [
      { role: "user", content: "Hello" },
      ...seals.map((encrypted, index) => ({
        type: "reasoning",
        id: `rs_${index}`,
        summary: [],
        encrypted_content: encrypted,
      })),
      { role: "user", content: "Again" },
    ],
  }),
  messages: (seals) => ({
    messages: [
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: [
          ...seals.map((signature) => ({ type: "thinking", thinking: "x", signature })),
          { type: "text", text: "Hi" },
        ],
      },
      { role: "user", content: "Again" },
    ],
  }),
};

const PAIRS = DIALECTS.flatMap((client) => DIALECTS.map((provider) => [client, provider] as const));

test.each(PAIRS)(
  "no row comes out of seals that a caller of %s forged for a provider of %s",
  async (client, provider) => {
    const before = (await gateway.witness()).length;
    const forge = (value: object): string =>
      `tollgate.${provider}.${Buffer.from(JSON.stringify(value)).toString("base64url")}.${"A".repeat(22)}`;
    const seals = rowsOf(MEMBERS[provider]).flatMap(({ way, value }) => {
      const inItem = way.length > 1 ? [forge(bodyOf(way.slice(1), value))] : [];
      return [forge(bodyOf(way, value)), ...inItem];
    });

    // What a true seal does give out shows that this one was not opened at all.
    const given = { id: MARK, encrypted_content: MARK, type: "thinking", thinking: MARK, signature: MARK, data: MARK };
    const all = [...seals, forge(given)];

    const { status } = await ask(client, { model: `at-${provider}`, ...HIDDEN[client](all) });

    const calls = (await gateway.witness()).slice(before);
    expect({ status, calls: calls.length }).toEqual({ status: 200, calls: 1 });
    expect(JSON.stringify(calls)).not.toContain(MARK);
  },
);
