import { Fault, FAULT_CODES, type FaultCode } from "../core/fault.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import { renderFormatB } from "../wire/errors/format-b.ts";
import type { RenderFault } from "../wire/errors/shape.ts";
import { referenceTo } from "./component.ts";
import type { ErrorCode, Header, Response } from "./document.ts";
import { EXAMPLE_REQUEST_ID } from "./examples.ts";
import { ID_HEADERS, RATE_HEADERS, RETRY_HEADERS } from "./headers.ts";
import { REFUSAL_WORDS } from "./refusal-words.ts";

export type Format = "A" | "B";

const FORMATS: Record<Format, { render: RenderFault; schema: string }> = {
  A: { render: renderFormatA, schema: "FormatAError" },
  B: { render: renderFormatB, schema: "FormatBError" },
};

type Rendered = {
  code: FaultCode;
  status: number;
  headers: Record<string, string>;
  body: { error: { type: string; code: string } };
};

/** The responses that tell a caller these codes, by status. What they carry is what rendering them yields. */
export function describeRefusals(format: Format, codes: readonly FaultCode[]): Record<string, Response> {
  const byStatus = Map.groupBy(
    codes.map((code) => renderExample(format, code)),
    ({ status }) => String(status),
  );
  return Object.fromEntries([...byStatus].map(([status, refusals]) => [status, responseOf(format, refusals)]));
}

/** Every code there is, and how each format says it. */
export function listErrorCodes(): ErrorCode[] {
  return FAULT_CODES.map((code) => {
    const a = renderExample("A", code);
    const b = renderExample("B", code);
    return {
      code,
      condition: REFUSAL_WORDS[code].condition,
      format_a: { status: a.status, type: a.body.error.type, code: a.body.error.code },
      format_b: { status: b.status, type: b.body.error.type },
    };
  });
}

function responseOf(format: Format, refusals: readonly Rendered[]): Response {
  const conditions = refusals.map(({ code }) => `- \`${code}\`: ${REFUSAL_WORDS[code].condition}`);
  const examples = refusals.map(({ code, body }) => [code, { summary: REFUSAL_WORDS[code].condition, value: body }]);
  return {
    description: conditions.join("\n"),
    headers: { ...ID_HEADERS, ...retryHeadersOf(refusals), ...(refusals[0]?.status === 429 ? RATE_HEADERS : {}) },
    content: {
      "application/json": { schema: referenceTo(FORMATS[format].schema), examples: Object.fromEntries(examples) },
    },
  };
}

function retryHeadersOf(refusals: readonly Rendered[]): Record<string, Header> {
  const headers: Record<string, Header> = {};
  for (const [name, header] of Object.entries(RETRY_HEADERS)) {
    const carrying = refusals.filter((refusal) => name in refusal.headers).length;
    if (carrying > 0) headers[name] = { ...header, required: carrying === refusals.length };
  }
  return headers;
}

function renderExample(format: Format, code: FaultCode): Rendered {
  const { example, param, renewsAt } = REFUSAL_WORDS[code];
  const fault = new Fault(code, example, {
    ...(param !== undefined && { param }),
    ...(renewsAt !== undefined && { renewsAt }),
  });
  const { status, headers, body } = FORMATS[format].render(fault, EXAMPLE_REQUEST_ID);
  return { code, status, headers, body: JSON.parse(body) as Rendered["body"] };
}
