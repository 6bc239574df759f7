import { expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { extractCredential } from "./credential.ts";

test("a bearer key is found on every route, whatever the spelling of its header", () => {
  expect(extractCredential(["Host", "x", "AUTHORIZATION", "bearer  abc "], "bearer")).toBe("abc");
  expect(extractCredential(["authorization", "Bearer abc"], "bearer_or_header")).toBe("abc");
});

test("x-api-key counts only where it is taken [spec 5]", () => {
  expect(extractCredential(["x-api-key", "abc"], "bearer_or_header")).toBe("abc");
  expect(() => extractCredential(["x-api-key", "abc"], "bearer")).toThrow(/Authorization: Bearer/);
});

test("no credential is not a wrong credential", () => {
  expect(extractCredential(["host", "x"], "bearer")).toBeNull();
});

test("two credentials are refused, of whichever kinds, and the message names what to drop [spec 5.1]", () => {
  const both = ["authorization", "Bearer a", "x-api-key", "a"];
  expect(() => extractCredential(both, "bearer_or_header")).toThrow(/Remove x-api-key.*auth\.accept_equal_credentials/);
  expect(() => extractCredential(["authorization", "Bearer a", "Authorization", "Bearer b"], "bearer")).toThrow(Fault);
  expect(() => extractCredential(["x-api-key", "a", "X-Api-Key", "b"], "bearer_or_header")).toThrow(Fault);
});

test("what is not a bearer credential is refused without repeating it", () => {
  for (const value of ["Basic c2VjcmV0", "Bearer", "Bearer ", "Bearer a b", "tgc_secret"]) {
    expect(() => extractCredential(["authorization", value], "bearer")).toThrow("must be `Bearer <key>`");
  }
});

test("one key in both headers counts as one where the operator accepts that, and two keys never do [AUT-5]", () => {
  const sent = (...headers: string[]) => extractCredential(headers, "bearer_or_header", "accepted");

  expect(sent("authorization", "Bearer a", "x-api-key", "a")).toBe("a");
  expect(sent("X-Api-Key", "a", "Authorization", "bearer  a ")).toBe("a");
  expect(extractCredential(["authorization", "Bearer a", "x-api-key", "a"], "bearer", "accepted")).toBe("a");
  for (const other of ["b", "A", "a, a", "Bearer a", ""])
    expect(() => sent("authorization", "Bearer a", "x-api-key", other)).toThrow(
      /Remove x-api-key and keep `Authorization: Bearer <key>`\.$/,
    );
  expect(() => sent("authorization", "Basic a", "x-api-key", "a")).toThrow("must be `Bearer <key>`");
});

test("a header that is sent twice is refused, whatever it says and whatever is accepted [AUT-25]", () => {
  for (const equal of ["accepted", "refused"] as const) {
    for (const headers of [
      ["authorization", "Bearer a", "Authorization", "Bearer a"],
      ["x-api-key", "a", "X-Api-Key", "a"],
      ["authorization", "Bearer a", "x-api-key", "a", "x-api-key", "a"],
      ["authorization", "Bearer a", "authorization", "Bearer a", "x-api-key", "a"],
    ])
      expect(() => extractCredential(headers, "bearer_or_header", equal)).toThrow(/Remove x-api-key|Send it once/);
  }
});
