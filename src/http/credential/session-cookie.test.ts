import { describe, expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { createRequireOwnOrigin } from "./own-origin.ts";
import { createSessionCookie } from "./session-cookie.ts";

const reading = (isSecure: boolean, cookie: string): string | null =>
  createSessionCookie(() => isSecure).read({ headers: { cookie } });

describe("the cookie of a key holder", () => {
  test("with https it is sent over https only, and no other host of the domain can set it", () => {
    expect(createSessionCookie(() => true).set("tgs_1", 60_500)).toBe(
      "__Host-tollgate_key=tgs_1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure",
    );
  });

  test("with https a cookie without the prefix is not taken, since another host may have set it", () => {
    expect(reading(true, "tollgate_key=planted; __Host-tollgate_key=own")).toBe("own");
    expect(reading(true, "tollgate_key=planted")).toBeNull();
  });

  test("two of the same name are not taken, since one of them may be somebody else's", () => {
    expect(reading(false, "a=b; tollgate_key=one")).toBe("one");
    expect(reading(false, "tollgate_key=one; tollgate_key=two")).toBeNull();
    expect(reading(false, "not_tollgate_key=one")).toBeNull();
  });
});

describe("the origin of what changes a session", () => {
  const isOwn = (
    headers: Record<string, string>,
    publicUrl: string | null = "https://ai.acme.example/gateway",
  ): boolean => {
    const address = publicUrl === null ? "guessed" : "set";
    try {
      createRequireOwnOrigin({ publicUrl: () => publicUrl ?? "http://127.0.0.1:8080", address })({ headers });
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  };

  test("is that of `public_url` where it is set, whatever Host says", () => {
    const host = "evil.example";

    expect(isOwn({ origin: "https://ai.acme.example", host })).toBe(true);
    for (const origin of ["https://evil.example", "http://ai.acme.example", "https://x.ai.acme.example", "null", "…"])
      expect({ origin, own: isOwn({ origin, host }) }).toEqual({ origin, own: false });
  });

  test("is that of Host where it is not", () => {
    expect(isOwn({ origin: "https://ai.acme.example", host: "ai.acme.example" }, null)).toBe(true);
    expect(isOwn({ origin: "https://ai.acme.example:444", host: "ai.acme.example" }, null)).toBe(false);
    expect(isOwn({ origin: "https://ai.acme.example" }, null)).toBe(false);
  });

  test("may be missing where no browser says that another site is behind it", () => {
    expect(isOwn({})).toBe(true);
    expect(isOwn({ "sec-fetch-site": "same-origin" })).toBe(true);
    expect(isOwn({ "sec-fetch-site": "cross-site" })).toBe(false);
  });
});
