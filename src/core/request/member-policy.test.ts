import { expect, test } from "vitest";
import { memberPolicyOf } from "./member-policy.ts";

const unknownAt = (baseUrl: string): string => memberPolicyOf({ baseUrl }).unknown;

test("the makers of the formats are told what nobody knows, and others are not unless their row says so [BOD-38]", () => {
  expect(unknownAt("https://api.openai.com/v1")).toBe("forward");
  expect(unknownAt("https://api.anthropic.com/v1")).toBe("forward");
  expect(unknownAt("https://api.openai.com.example.com/v1")).toBe("drop");
  expect(unknownAt("http://127.0.0.1:8000/v1")).toBe("drop");
  expect(memberPolicyOf({ baseUrl: "http://127.0.0.1:1/v1", unknownMembers: "forward" }).unknown).toBe("forward");
  expect(memberPolicyOf({ baseUrl: "https://api.openai.com/v1", unknownMembers: "drop" }).unknown).toBe("drop");
});

test("a row's own list of open members stands in place of the usual one", () => {
  expect(memberPolicyOf({ baseUrl: "https://a.example/v1" }).open).toContain("reasoning*");
  expect(memberPolicyOf({ baseUrl: "https://a.example/v1", openMembers: [] }).open).toEqual([]);
});
