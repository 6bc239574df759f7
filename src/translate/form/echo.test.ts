import { expect, test } from "vitest";
import { echoOf } from "./echo.ts";
import type { Json } from "../../core/bytes/json.ts";

const echo = (body: Json): Json => JSON.parse(echoOf(body)) as Json;

test("what answers repeat of a body is its settings and tools, and nothing that was said", () => {
  const tools = [{ type: "function", name: "f", parameters: { type: "object" } }];
  const body = {
    model: "m",
    instructions: "Be brief.",
    temperature: 1,
    tools,
    input: "long",
    messages: [],
    system: "s",
  };

  expect(echo(body)).toEqual({ model: "m", instructions: "Be brief.", temperature: 1, tools });
});

test("what is too long to be repeated is left out, and tools keep what they are called", () => {
  const long = "x".repeat(200_000);
  const body = {
    instructions: long,
    top_p: 1,
    tools: [
      { type: "function", name: "f", description: long },
      { type: "function", function: { name: "g", description: long } },
      { type: "namespace", name: "n", description: long, tools: [{ type: "custom", name: "h", format: long }] },
    ],
    input: [
      { role: "user", content: long },
      { type: "tool_search_output", tools: [{ type: "function", name: "i" }] },
    ],
  };

  expect(echo(body)).toEqual({
    top_p: 1,
    tools: [
      { type: "function", name: "f" },
      { type: "function", function: { name: "g" } },
      { type: "namespace", name: "n", tools: [{ type: "custom", name: "h" }] },
    ],
    input: [{ tools: [{ type: "function", name: "i" }] }],
  });
});
