import { expect, test } from "vitest";
import { Fault, FAULT_CODES, type FaultCode } from "../../core/fault.ts";
import { renderFormatA } from "./format-a.ts";
import { renderFormatB } from "./format-b.ts";

/** `error.type` by status, restated so that a slip in ours shows. [interface decision 27] */
const TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  426: "invalid_request_error",
  409: "conflict_error",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "timeout_error",
};

const typeOf = (body: string): string => (JSON.parse(body) as { error: { type: string } }).error.type;

test.each(FAULT_CODES.map((code) => ({ code })))(
  "$code has the type of its status [ERR-28] [ERR-29] [ERR-30] [ERR-31] [ERR-32] [ERR-33] [ERR-34] [ERR-35] [ERR-36] [ERR-37]",
  ({ code }) => {
    const { status, body } = renderFormatB(new Fault(code, "said"), "req_1");

    expect(typeOf(body)).toBe(TYPES[status]);
  },
);

const CONFLICTS: FaultCode[] = [
  "idempotency_in_progress",
  "idempotency_key_reuse",
  "idempotency_replay_unavailable",
  "idempotency_stream_interrupted",
];

test.each(CONFLICTS)("%s is 409 in both formats, each with its own type [IDM-21] [IDM-22] [ERR-23]", (code) => {
  const [a, b] = [renderFormatA(new Fault(code, "said"), "r"), renderFormatB(new Fault(code, "said"), "r")];

  expect([a.status, b.status]).toEqual([409, 409]);
  expect([typeOf(a.body), typeOf(b.body)]).toEqual(["idempotency_error", "conflict_error"]);
});

test.each(CONFLICTS)("%s is worth another try only while the first is in progress [HDR-11]", (code) => {
  for (const render of [renderFormatA, renderFormatB]) {
    const { headers } = render(new Fault(code, "said"), "r");

    expect(headers["x-should-retry"]).toBe(code === "idempotency_in_progress" ? "true" : "false");
  }
});
