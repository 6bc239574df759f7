import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault, FAULT_CODES } from "../../core/fault.ts";
import { renderFormatA } from "./format-a.ts";
import { renderFormatB } from "./format-b.ts";
import { renderOAuth } from "./oauth.ts";
import { renderToSession } from "./session-limit.ts";

const DAY_SECONDS = 86_400;
const NOW = Date.UTC(2026, 10, 1);

/** Every form in which a refusal leaves a listener. */
const FORMS = {
  "Format A": (fault: Fault) => renderFormatA(fault, "req_1"),
  "Format B": (fault: Fault) => renderFormatB(fault, "req_1"),
  "a session": (fault: Fault) => renderToSession(fault, "req_1", NOW),
  OAuth: renderOAuth,
};

const seconds = fc.double({ min: -DAY_SECONDS, max: 400 * DAY_SECONDS, noNaN: true });
const options = fc
  .record({
    waits: fc.option(fc.oneof(seconds, fc.constantFrom(Number.NaN, Infinity, -Infinity))),
    renewsIn: fc.option(seconds),
    renewsEvery: fc.constantFrom("none", "day", "week", "month"),
  })
  .map(({ waits, renewsIn, renewsEvery }) => ({
    ...(waits !== null && { retryAfterSeconds: waits }),
    ...(renewsIn !== null && { renewsAt: new Date(NOW + renewsIn * 1_000).toISOString(), renewsEvery }),
  }));

test.each(Object.entries(FORMS))(
  "%s asks for a wait of 1 to 86,400 whole seconds, or for none, in every refusal [HDR-4] [HDR-5]",
  (_name, render) => {
    fc.assert(
      fc.property(options, (drawn) => {
        for (const code of FAULT_CODES) {
          const { status, headers } = render(new Fault(code, "refused", drawn));
          const written = headers["retry-after"];
          if (written === undefined) {
            expect([429, 503]).not.toContain(status);
            continue;
          }
          expect(written).toMatch(/^[1-9][0-9]*$/);
          expect(Number(written)).toBeLessThanOrEqual(DAY_SECONDS);
        }
      }),
    );
  },
);
