import { expect, test } from "vitest";
import type { CoreShares } from "./core-shares.ts";
import { lacksLoad, whyDisturbed, whyNotFull } from "./validity.ts";

const FINE = { requests: 100, failures: 0, firstFailure: "" };
const shares = (changes: Partial<CoreShares>): CoreShares => ({
  subject: 0.97,
  database: 0.3,
  load: 0.4,
  othersOnProxyCore: 0.02,
  othersOnLoadCore: 0.02,
  ...changes,
});

test("a slice counts when the gateway used 90 % of its core", () => {
  expect(whyNotFull(FINE, shares({ subject: 0.9 }))).toBeNull();
  expect(whyNotFull(FINE, shares({ subject: 0.85 }))).toBe("used 85 % of its core, load or database was the limit");
});

test("a slice in which others took the core says so", () => {
  expect(whyNotFull(FINE, shares({ subject: 0.7, othersOnProxyCore: 0.3 }))).toBe(
    "used 70 % of its core, other work took 30 % of it",
  );
});

test("a slice with an answer that failed does not count, full or not", () => {
  const failed = { requests: 100, failures: 2, firstFailure: "status 503: full" };

  expect(whyNotFull(failed, shares({}))).toBe("2 of 100 answers failed, the first with status 503: full");
  expect(whyNotFull({ ...FINE, requests: 0 }, shares({}))).toBe("nothing was answered");
  expect(whyDisturbed(failed, shares({}), 0)).toContain("2 of 100 answers failed");
});

test("latencies count when the generator was on time and the cores were left alone", () => {
  expect(whyDisturbed(FINE, shares({ subject: 0.1 }), 20)).toBeNull();
  expect(whyDisturbed(FINE, shares({ subject: 0.1 }), 900)).toContain("900 µs late");
  expect(whyDisturbed(FINE, shares({ othersOnLoadCore: 0.4 }), 20)).toBe("other work took 2 % and 40 % of the cores");
});

test("a gateway whose core is idle lacks load; one whose core others took does not", () => {
  expect(lacksLoad([shares({ subject: 0.8 }), shares({ subject: 0.99 }), shares({ subject: 0.85 })])).toBe(true);
  expect(lacksLoad([shares({ subject: 0.97 }), shares({ subject: 0.8 }), shares({ subject: 0.95 })])).toBe(false);
  expect(lacksLoad([shares({ subject: 0.6, othersOnProxyCore: 0.4 })])).toBe(false);
});
