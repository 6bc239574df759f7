import { expect, test } from "vitest";
import type { ClientDialect } from "../../../core/request/dialect.ts";
import { checkOutputLimit } from "./check-output-limit.ts";

const check =
  (dialect: ClientDialect, asked: number | null, limit: number | null, field = "max_tokens") =>
  () =>
    checkOutputLimit(
      { dialect, maxOutputTokens: asked, maxOutputTokensField: field },
      { id: "m", maxOutputTokens: limit },
    );

test.each<[ClientDialect, string]>([
  ["chat", "max_tokens"],
  ["chat", "max_completion_tokens"],
  ["responses", "max_output_tokens"],
])(
  "%s refuses a limit above the published one, names it in `%s` and says what is allowed [CHA-13] [RES-8]",
  (dialect, param) => {
    expect(check(dialect, 101, 100, param)).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        param,
        message: expect.stringMatching(/m supports at most 100 output tokens/) as string,
      }),
    );
  },
);

test("a limit up to the published one, none at all, and any limit of a model that publishes none are fine [CHA-13]", () => {
  for (const [asked, limit] of [
    [100, 100],
    [1, 100],
    [null, 100],
    [1_000_000, null],
  ] as const)
    expect(check("chat", asked, limit)).not.toThrow();
});

test("messages are never refused for their limit; it is lowered elsewhere [MSG-12]", () => {
  expect(check("messages", 101, 100)).not.toThrow();
});
