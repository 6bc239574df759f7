import { expect, test } from "vitest";
import { generationStage, pieces } from "../../../tests/support/generation-stage.ts";
import { REFUSAL_EXAMPLES, TOLD } from "../../../tests/support/provider-refusals.ts";

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

test.each([true, false])(
  "what a provider that answers 200 says of a request is the caller's 400, is not charged, and says nothing of the route, stream %s [UPS-6] [LIM-7]",
  async (stream) => {
    for (const { body, about } of REFUSAL_EXAMPLES.filter(({ status }) => status === 200)) {
      // Other formats have events of their own for it, which a chat stream has none of.
      if (stream && !("error" in (JSON.parse(body) as object))) continue;
      const stage = generationStage(pieces(stream ? `data: ${body}\n\n` : body));

      await expect(stage.generate(stage.ask({ stream })), body).rejects.toMatchObject({ code: TOLD[about].code });
      expect(stage.heard).toEqual([null]);
      expect(stage.charged).toEqual([0n]);
      expect(stage.log.filter((step) => step.startsWith("settle"))).toEqual([]);
    }
  },
);

test("a refusal amid an answer ends the stream in its own words, and still says nothing of the route", async () => {
  const refusal = 'data: {"error":{"code":403,"message":"Flagged.","metadata":{"reasons":["violence"]}}}\n\n';
  const stage = generationStage(pieces(EVENT, refusal));
  await stage.generate(stage.ask({ stream: true }));

  expect(stage.log.at(-1)).toContain('"code":"invalid_request"');
  expect(stage.log.at(-1)).toContain("Flagged.");
  expect(stage.heard).toEqual([null]);
});

test("a ledger that is away says nothing against the route that answered", async () => {
  const stage = generationStage((reader) => {
    stage.line.ledger = "down";
    pieces(PLAIN)(reader);
  });

  await expect(stage.generate(stage.ask())).rejects.toMatchObject({ code: "service_unavailable" });
  expect(stage.heard).toEqual([null]);
});
