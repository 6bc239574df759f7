import { expect, test } from "vitest";
import { createPrepareRoute } from "./prepare-route.ts";
import type { Route } from "../../core/catalogue/route.ts";
import type { UpstreamError } from "../upstream.ts";

const route = (): Route =>
  ({ provider: "acme", baseUrl: "https://api.example.com/v1/", dialect: "chat", credentialRef: "stored" }) as Route;

test("a credential is asked for once per load of the catalogue, for the whole provider it belongs to", () => {
  const asked: unknown[] = [];
  const prepare = createPrepareRoute((holder) => {
    asked.push(holder);
    return `sk-${asked.length}`;
  });
  const [before, after] = [route(), route()];

  expect([before, before, after, before].map((each) => prepare(each).headers["authorization"])).toEqual([
    "Bearer sk-1",
    "Bearer sk-1",
    "Bearer sk-2",
    "Bearer sk-1",
  ]);
  expect(asked).toEqual([before, after]);
});

test("a credential that cannot be had is the operator's to mend, and is asked for again with the next call", () => {
  let cause: Error | null = new Error("the keys given are: none");
  const prepare = createPrepareRoute(() => {
    if (cause !== null) throw cause;
    return "sk-1";
  });
  const wanted = route();

  expect(() => prepare(wanted)).toThrow(expect.objectContaining({ reason: "misconfigured", cause }) as UpstreamError);
  cause = null;
  expect(prepare(wanted).paths.whole).toBe("/v1/chat/completions");
});
