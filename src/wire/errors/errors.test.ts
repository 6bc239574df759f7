import { expect, test } from "vitest";
import { Fault, FAULT_CODES, type FaultCode } from "../../core/fault.ts";
import { renderFormatA } from "./format-a.ts";
import { renderFormatB } from "./format-b.ts";

const codes = FAULT_CODES.map((code) => ({ code }));
const fault = (code: FaultCode, retryAfterSeconds?: number): Fault =>
  new Fault(code, "said to the caller", {
    detail: { never: "said" },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

test.each(codes)(
  "$code has the envelope of both formats and never shows what is written for us [spec 7.1] [ERR-6] [ERR-7]",
  ({ code }) => {
    const a = renderFormatA(fault(code), "req_1");
    const b = renderFormatB(fault(code), "req_1");

    expect(JSON.parse(a.body)).toEqual({
      error: {
        message: "said to the caller",
        type: expect.any(String) as string,
        code: expect.any(String) as string,
        param: null,
        request_id: "req_1",
      },
    });
    expect(JSON.parse(b.body)).toMatchObject({
      type: "error",
      error: { code, message: "said to the caller" },
      request_id: "req_1",
    });
    expect(a.body + b.body).not.toContain("never");
  },
);

/** The table of the interface, restated so that a slip in ours shows. */
const LISTED: [FaultCode, number, string][] = [
  ["invalid_credentials", 401, "authentication_error"],
  ["key_expired", 403, "permission_error"],
  ["key_disabled", 403, "permission_error"],
  ["rate_limit_exceeded", 429, "rate_limit_error"],
  ["balance_temporarily_reserved", 429, "rate_limit_error"],
  ["limit_reached", 429, "quota_error"],
  ["insufficient_credit", 402, "quota_error"],
  ["invalid_request", 400, "invalid_request_error"],
  ["model_not_found", 404, "invalid_request_error"],
  ["context_length_exceeded", 400, "invalid_request_error"],
  ["provider_unavailable", 502, "api_error"],
  ["upstream_error", 502, "api_error"],
  ["internal_error", 500, "api_error"],
];

test.each(LISTED)(
  "%s is %i %s in Format A [spec 7.2] [ERR-11] [ERR-12] [ERR-13] [ERR-14] [ERR-17]",
  (code, status, type) => {
    const rendered = renderFormatA(fault(code), "req_1");

    expect(rendered.status).toBe(status);
    expect(JSON.parse(rendered.body)).toMatchObject({ error: { code, type } });
  },
);

test("a slow provider is 502 upstream_error in Format A and 504 in Format B [interface decision 26]", () => {
  expect(JSON.parse(renderFormatA(fault("upstream_timeout"), "r").body)).toMatchObject({
    error: { code: "upstream_error" },
  });
  expect(renderFormatA(fault("upstream_timeout"), "r").status).toBe(502);
  expect(renderFormatB(fault("upstream_timeout"), "r").status).toBe(504);
});

test.each(codes)("$code: 429 and 503 always say Retry-After, a whole number of at least 1 [spec 7.1]", ({ code }) => {
  for (const render of [renderFormatA, renderFormatB]) {
    const { status, headers } = render(fault(code), "req_1");
    if (status === 429 || status === 503) expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  }
});

test("Retry-After is rounded up and capped at a day [interface decision 29]", () => {
  const said = (seconds: number): string | undefined =>
    renderFormatA(fault("rate_limit_exceeded", seconds), "r").headers["retry-after"];

  expect([said(0), said(0.2), said(1.2), said(1e9)]).toEqual(["1", "1", "2", "86400"]);
});

test("terminal refusals tell SDKs to stop, passing ones to go on [interface decision 29] [HDR-11] [HDR-12] [HDR-13]", () => {
  const advice = (code: FaultCode): string | undefined => renderFormatA(fault(code), "r").headers["x-should-retry"];
  const stop = FAULT_CODES.filter((code) => advice(code) === "false");
  const retry = FAULT_CODES.filter((code) => advice(code) === "true");

  expect(retry).toEqual(["rate_limit_exceeded", "balance_temporarily_reserved", "idempotency_in_progress"]);
  expect(stop.every((code) => renderFormatA(fault(code), "r").status < 500)).toBe(true);
  expect(stop).toEqual(
    expect.arrayContaining(["limit_reached", "insufficient_credit", "idempotency_key_reuse", "model_not_found"]),
  );
});
