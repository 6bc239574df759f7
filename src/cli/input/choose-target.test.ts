import { expect, test } from "vitest";
import { chooseTarget } from "./choose-target.ts";
import { probeText } from "../text/catalogue/probe-text.ts";

const route = {
  id: "1",
  modelId: "large",
  published: true,
  upstreamModel: "large-1",
  dialect: "chat",
  conformant: true,
} as const;
const provider = { name: "acme", baseUrl: "https://api.example.com", credentialRef: "none", routes: [route] };
const whatever = { model: undefined, dialect: undefined };

test("a model is tested by our name or the provider's, and without one what callers are offered first", () => {
  const hidden = { ...route, modelId: "hidden", upstreamModel: "h", published: false };
  const both = { ...provider, routes: [hidden, route] };

  expect(chooseTarget(both, whatever)).toMatchObject({ upstreamModel: "large-1" });
  expect(chooseTarget(both, { ...whatever, model: "hidden" })).toMatchObject({ upstreamModel: "h" });
  expect(chooseTarget(both, { ...whatever, model: "h" })).toMatchObject({ route: { modelId: "hidden" } });
  expect(chooseTarget(both, { model: "new", dialect: "messages" })).toEqual({
    upstreamModel: "new",
    dialect: "messages",
    route: null,
  });
  expect(() => chooseTarget({ ...provider, routes: [] }, whatever)).toThrow("--model");
  expect(chooseTarget({ ...provider, routes: [{ ...route, dialect: "gemini" }] }, whatever)).toMatchObject({
    dialect: "gemini",
  });
});

test("a route that is declared otherwise than its stream was is told how to change", () => {
  const choice = chooseTarget(provider, whatever);
  const examination = { broken: ["6.1.7 the stream ends with data: [DONE]"], model: "m", usage: null };
  const result = { status: 200, firstByteMs: 1, wholeMs: 2, problem: null, examination };

  expect(probeText({ provider: "acme", choice, result })).toContain(
    "tollgate models add large --provider acme --upstream-model large-1 --format chat --no-conformant",
  );
});
