import { expect, test } from "vitest";
import { generationStage, MODEL, type Provider, ROUTE, settled } from "../../../tests/support/generation-stage.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";

const event = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const usage = { input_tokens: 3, output_tokens: 1 };
const START = event({ type: "message_start", message: { type: "message", usage } } as { type: string });
const DELTA = event({ type: "message_delta", delta: {}, usage: { output_tokens: 5 } } as { type: string });
const STOP = event({ type: "message_stop" });

const fast = { when: { tier: "fast" }, nano: {}, toolCallNano: {}, times: 6_000_000_000n, sold: true };

/** What a stream costs that was to be fast, and the tier in what its provider was sent. */
async function chargedFor(platform: string | null, provider: (leave: () => void) => Provider) {
  const price = { ...(MODEL.price as NonNullable<typeof MODEL.price>), when: [fast] };
  const routes = [{ ...ROUTE, dialect: "messages" as const, platform }];
  const stage = generationStage(
    provider(() => stage.leave()),
    { model: { ...MODEL, price, routes } },
  );
  const body = { model: "m", max_tokens: 8, stream: true, speed: "fast", messages: [{ role: "user", content: "hi" }] };
  const request = readMessagesRequest(parseBody(Buffer.from(JSON.stringify(body)), 64), {});
  await stage.generate({ ...stage.ask(), request });
  await settled();
  return { charges: stage.charges(), isTold: stage.bodies.some((sent) => sent.includes('"speed":"fast"')) };
}

const whole: Provider = (reader) => {
  for (const text of [START, DELTA, STOP]) reader.chunk(Buffer.from(text));
  reader.end();
};
const left =
  (leave: () => void): Provider =>
  (reader) => {
    reader.chunk(Buffer.from(START + DELTA));
    leave();
  };

test.each([
  ["whole", () => whole, "completed 13000"],
  ["left", left, "client_gone 13000"],
] as const)(
  "a cloud is not told to be fast, and a stream that is %s is not charged so",
  async (_, provider, charge) => {
    for (const platform of ["bedrock", "vertex"])
      expect(await chargedFor(platform, provider)).toEqual({ charges: [charge], isTold: false });
  },
);

test("of a stream that is left where the provider was told, nothing else is known than what was asked for", async () => {
  expect(await chargedFor(null, left)).toEqual({ charges: ["client_gone 78000"], isTold: true });
});
