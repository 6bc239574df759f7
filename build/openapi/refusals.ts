import { Fault, FAULT_CODES, type FaultCode } from "../../src/core/fault.ts";
import { renderFormatA } from "../../src/wire/errors/format-a.ts";
import { renderFormatB } from "../../src/wire/errors/format-b.ts";
import type { RenderFault } from "../../src/wire/errors/shape.ts";
import type { ErrorCode, Response } from "./document.ts";
import { EXAMPLE_REQUEST_ID } from "./examples.ts";
import { ID_HEADERS, RATE_HEADERS, RETRY_HEADERS } from "./headers.ts";
import { refusalResponse, type RefusalExample } from "./refusal-response.ts";
import { REFUSAL_WORDS } from "../../src/wire/errors/refusal-words.ts";

export type Format = "A" | "B";

const FORMATS: Record<Format, { render: RenderFault; schema: string }> = {
  A: { render: renderFormatA, schema: "FormatAError" },
  B: { render: renderFormatB, schema: "FormatBError" },
};

type Rendered = RefusalExample<{ error: { type: string; code: string } }>;

/** The responses that tell a caller these codes, by status. What they carry is what rendering them yields. */
export function describeRefusals(format: Format, codes: readonly FaultCode[]): Record<string, Response> {
  const byStatus = Map.groupBy(
    codes.map((code) => renderExample(format, code)),
    ({ status }) => String(status),
  );
  return Object.fromEntries([...byStatus].map(([status, refusals]) => [status, responseOf(format, refusals)]));
}

/** Every code, and its status and type in each format. */
export function listErrorCodes(): ErrorCode[] {
  return FAULT_CODES.map((code) => {
    const a = renderExample("A", code);
    const b = renderExample("B", code);
    return {
      code,
      condition: a.condition,
      format_a: { status: a.status, type: a.body.error.type, code: a.body.error.code },
      format_b: { status: b.status, type: b.body.error.type },
    };
  });
}

function responseOf(format: Format, refusals: readonly Rendered[]): Response {
  const response = refusalResponse(refusals, { schema: FORMATS[format].schema, headers: ID_HEADERS });
  const status = refusals[0]?.status;
  // Sent where it is known when the provider's pause ends.
  const pause = status === 502 ? { "retry-after": { ...RETRY_HEADERS["retry-after"], required: false } } : {};
  return { ...response, headers: { ...pause, ...response.headers, ...(status === 429 ? RATE_HEADERS : {}) } };
}

/** The example of a code as a client of one format gets it. */
export function renderExample(format: Format, code: FaultCode): Rendered {
  const { cause, fix, example, param, renewsAt } = REFUSAL_WORDS[code];
  const fault = new Fault(code, example, {
    ...(param !== undefined && { param }),
    ...(renewsAt !== undefined && { renewsAt }),
  });
  const { status, headers, body } = FORMATS[format].render(fault, EXAMPLE_REQUEST_ID);
  return { code, condition: `${cause} ${fix}`, status, headers, body: JSON.parse(body) as Rendered["body"] };
}
