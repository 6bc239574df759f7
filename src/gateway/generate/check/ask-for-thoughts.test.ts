import { expect, test } from "vitest";
import { route } from "../../../../tests/support/dispatch-stage.ts";
import { requestOf } from "../../../../tests/translation/request-of.ts";
import type { Model } from "../../../catalogue/model.ts";
import type { ClientDialect } from "../../../core/request/dialect.ts";
import { createAskForThoughts } from "./ask-for-thoughts.ts";

const at = (changes: Partial<ReturnType<typeof route>> = {}) =>
  route("http://127.0.0.1:1", { dialect: "responses", ...changes });
const model = (capabilities: Model["capabilities"] = {}) => ({ capabilities }) as Model;
const request = (more: object = {}, dialect: ClientDialect = "responses") =>
  requestOf(dialect, {
    ...(dialect === "responses" ? { input: "hi" } : { messages: [{ role: "user", content: "hi" }] }),
    ...more,
  });

const UNSUPPORTED = {
  message: "Encrypted content is not supported with this model.",
  names: new Set(["invalid_request_error"]),
  param: "include",
};

const effort = (value: string) => ({ reasoning: { effort: value } });

test.each([
  ["a model of which nothing is said", request(), model(), at(), true],
  ["a model that does not reason", request(), model({ reasoning: false }), at(), false],
  ["a server with an accent", request(), model(), at({ conformant: false }), false],
  ["such a server, of a model that reasons", request(), model({ reasoning: true }), at({ conformant: false }), true],
  ["such a server, told to reason", request(effort("low")), model(), at({ conformant: false }), true],
  ["a model told not to reason", request(effort("none")), model({ reasoning: true }), at(), false],
  ["who is asked by the caller", request({ include: ["reasoning.encrypted_content"] }), model(), at(), false],
  ["a provider of another format", request(), model(), at({ dialect: "chat" }), false],
  ["for a caller of another format", request({}, "chat"), model(), at(), false],
])(
  "encrypted thoughts are asked of %s only where they may be had and are not asked for",
  (_, asked, of, to, wanted) => {
    expect(createAskForThoughts()(asked, of).of(to)).toBe(wanted);
  },
);

test("a route that refuses them is asked again without, once, and not for them again after it answered", () => {
  const askForThoughts = createAskForThoughts();
  const [one, other] = [at(), at()];
  const first = askForThoughts(request(), model());

  expect(first.refused(one, UNSUPPORTED)).toBe(true);
  expect(first.of(one)).toBe(false);
  expect(first.refused(one, UNSUPPORTED)).toBe(false);
  // Until it has answered without, nothing is shown: what one caller provokes changes nothing for another.
  expect(askForThoughts(request(), model()).of(one)).toBe(true);
  first.answered(one);
  expect(askForThoughts(request(), model()).of(one)).toBe(false);
  expect(askForThoughts(request(), model()).of(other)).toBe(true);
});

test("a route that answered with them goes on being asked", () => {
  const askForThoughts = createAskForThoughts();
  const one = at();
  askForThoughts(request(), model()).answered(one);

  expect(askForThoughts(request(), model()).of(one)).toBe(true);
});

test.each([
  ["of another field", { ...UNSUPPORTED, message: "Unsupported parameter: 'temperature'.", param: "temperature" }],
  [
    "of thoughts that the caller brought",
    {
      ...UNSUPPORTED,
      message: "The encrypted content for item rs_1 could not be verified.",
      names: new Set(["invalid_encrypted_content"]),
      param: "",
    },
  ],
  ["without words", { message: "", names: new Set<string>(), param: "" }],
])("a refusal %s is the caller's", (_, refusal) => {
  expect(createAskForThoughts()(request(), model()).refused(at(), refusal)).toBe(false);
});

test("a framework that names the field in its details is understood", () => {
  const refusal = { ...UNSUPPORTED, message: "body.include.0: Input should be 'x'", param: "" };

  expect(createAskForThoughts()(request(), model()).refused(at(), refusal)).toBe(true);
});
