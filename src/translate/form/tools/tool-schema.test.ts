import { expect, test } from "vitest";
import { cross } from "../../../../tests/support/cross.ts";
import type { ClientDialect } from "../../../core/request/dialect.ts";

type Json = Record<string, unknown>;

const OFFERED: Record<ClientDialect, (schema: Json) => Json> = {
  chat: (parameters) => ({ type: "function", function: { name: "f", parameters } }),
  responses: (parameters) => ({ type: "function", name: "f", parameters }),
  messages: (input_schema) => ({ name: "f", input_schema }),
};
const DIALECTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const PAIRS = DIALECTS.flatMap((client) =>
  DIALECTS.filter((provider) => provider !== client).map((provider) => [client, provider] as const),
);

/** The schema as the provider is sent it. */
function sent(client: ClientDialect, provider: ClientDialect, schema: Json): unknown {
  const { tools } = cross(client, provider).sent({ tools: [OFFERED[client](schema)] });
  const [tool] = tools as (Json & { function?: Json })[];
  return tool?.["input_schema"] ?? tool?.["parameters"] ?? tool?.function?.["parameters"];
}

test.each(PAIRS)("a tool of a %s caller without members says so to a %s provider, which refuses silence", (...pair) => {
  expect(sent(...pair, { type: "object" })).toEqual({ type: "object", properties: {} });
  expect(sent(...pair, {})).toEqual({ type: "object", properties: {} });
  expect(sent(...pair, { type: "object", additionalProperties: false })).toEqual({
    type: "object",
    properties: {},
    additionalProperties: false,
  });
});

test.each(PAIRS)("a schema of a %s caller that leaves out what it is of says it to a %s provider", (...pair) => {
  const properties = { city: { type: "string" } };

  expect(sent(...pair, { properties })).toEqual({ type: "object", properties });
  expect(sent(...pair, { $schema: "s", type: "object", properties })).toEqual({
    $schema: "s",
    type: "object",
    properties,
  });
});
