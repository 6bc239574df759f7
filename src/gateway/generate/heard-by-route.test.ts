import { expect, test } from "vitest";
import { generationStage, pieces } from "../../../tests/support/generation-stage.ts";

const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"one two three"}}]}\n\n';
const DONE = "data: [DONE]\n\n";
const PLAIN = '{ "choices": [], "usage": {"prompt_tokens":1,"completion_tokens":2,"total_tokens":3} }';

test("a route hears of every answer once how it ended, streamed or plain", async () => {
  const cases = [
    { said: [EVENT, DONE], fields: { stream: true }, heard: "completed" },
    { said: [EVENT], fields: { stream: true }, heard: "upstream_failed" },
    { said: [""], fields: { stream: true }, heard: "upstream_failed" },
    { said: [PLAIN], fields: {}, heard: "completed" },
    { said: ["no completion"], fields: {}, heard: "upstream_failed" },
  ];
  for (const { said, fields, heard } of cases) {
    const stage = generationStage(pieces(...said));
    await stage.generate(stage.ask(fields)).catch(() => undefined);

    expect(stage.heard, JSON.stringify(said)).toEqual([heard]);
  }
});

test("a ledger that is away says nothing against the route that answered", async () => {
  const stage = generationStage((reader) => {
    stage.line.ledger = "down";
    pieces(PLAIN)(reader);
  });

  await expect(stage.generate(stage.ask())).rejects.toMatchObject({ code: "service_unavailable" });
  expect(stage.heard).toEqual([null]);
});
