import { expect, test } from "vitest";
import { signInCookie } from "./sign-in.ts";

test("what a sign-in began with is bound to this host alone where browsers come by https", () => {
  const cookie = signInCookie(true);

  expect(cookie.write("abc")).toBe("__Host-tollgate_sign_in=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure");
  expect(cookie.write("")).toContain("Max-Age=0");
  expect(cookie.read("a=b; __Host-tollgate_sign_in=abc")).toBe("abc");
  // Another host of the domain could set this one.
  expect(cookie.read("tollgate_sign_in=abc")).toBeNull();
  expect(cookie.read("__Host-tollgate_sign_in=abc; __Host-tollgate_sign_in=def")).toBeNull();
});

test("over plain http it has no such name, which browsers would drop", () => {
  const cookie = signInCookie(false);

  expect(cookie.write("abc")).toBe("tollgate_sign_in=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=600");
  expect(cookie.read("tollgate_sign_in=abc")).toBe("abc");
  expect(cookie.read("x_tollgate_sign_in=abc; tollgate_sign_in=a b")).toBeNull();
});
