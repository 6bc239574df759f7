import { expect, test } from "vitest";
import { createMaskSecrets } from "./mask-secrets.ts";
import { createScrubRecording } from "./scrub-recording.ts";

const scrubber = () =>
  createScrubRecording({ mask: createMaskSecrets(["sk-live-abcdefghijklmnopqrstuv"]), upstreamModel: "gpt-x" });

test("an id becomes a placeholder, the same one wherever it stands, with the letters its kind begins with", () => {
  const scrub = scrubber();
  const call = { id: "call_a81kd9", function: { name: "get_weather", arguments: '{"city":"Lisbon"}' } };

  expect(scrub({ id: "chatcmpl-B9x21", choices: [{ delta: { tool_calls: [call] } }] })).toEqual({
    id: "chatcmpl-recorded-1",
    choices: [{ delta: { tool_calls: [{ ...call, id: "call_recorded_2" }] } }],
  });
  expect(scrub({ item_id: "call_a81kd9", delta: "ok" })).toEqual({ item_id: "call_recorded_2", delta: "ok" });
});

test("words of the format and the model's text stay, times and seals do not", () => {
  expect(
    scrubber()({
      type: "content_block_delta",
      created: 1_789_000_000,
      delta: { type: "text_delta", text: "Monday, Tuesday" },
      signature: "EqQBCkYIBRgC",
      usage: { input_tokens: 12 },
    }),
  ).toEqual({
    type: "content_block_delta",
    created: 1_700_000_000,
    delta: { type: "text_delta", text: "Monday, Tuesday" },
    signature: "recorded-1",
    usage: { input_tokens: 12 },
  });
});

test("an error keeps its words and loses the account, the credential and the address", () => {
  const { error } = scrubber()({
    error: {
      message:
        "Key sk-live-abcdefghijklmnopqrstuv of organization org-9dk2 is over its limit at api.internal.example.com.",
      type: "rate_limit",
      param: null,
    },
  }) as { error: { message: string } };

  expect(error).toMatchObject({ type: "rate_limit", param: null });
  expect(error.message).toMatch(/^Key \[…\] of organization \[…\] is over its limit at \[…\]/);
});
