import { expect, test } from "vitest";
import { MODEL } from "../../tests/support/generation-stage.ts";
import type { ProviderDialect } from "../core/dialect.ts";
import { checkFormat } from "./check-format.ts";

const model = (...dialects: ProviderDialect[]) => ({
  id: "m",
  routes: dialects.map((dialect) => ({ ...MODEL.routes[0], dialect }) as (typeof MODEL.routes)[number]),
});

test("a model that some route serves in the caller's format is let through; so is one without routes, which fails later", () => {
  expect(() => checkFormat("chat", model("messages", "chat"))).not.toThrow();
  expect(() => checkFormat("chat", model())).not.toThrow();
});

test("a model of formats nobody can bring to this caller is refused before any money is set aside", () => {
  expect(() => checkFormat("chat", model("gemini"))).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      param: "model",
      message: "m cannot be had at /v1/chat/completions.",
    }),
  );
});
