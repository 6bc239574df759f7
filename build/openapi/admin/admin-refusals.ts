import { Conflict } from "../../../src/core/conflict.ts";
import { Fault } from "../../../src/core/fault.ts";
import { Forbidden } from "../../../src/core/forbidden.ts";
import { renderConflict } from "../../../src/wire/errors/conflict.ts";
import { renderForbidden } from "../../../src/wire/errors/forbidden.ts";
import { renderFormatA } from "../../../src/wire/errors/format-a.ts";
import { formatAErrorSchema } from "../answer-schemas.ts";
import { type Component, component } from "../component.ts";
import type { AdminDocument, Header, Reference, Response } from "../document.ts";
import { EXAMPLE_REQUEST_ID } from "../examples.ts";
import { refusalResponse, type RefusalExample } from "../refusal-response.ts";

/** Every code of the admin API in the order of its status. */
const ADMIN_CODES = [
  "invalid_request",
  "invalid_credentials",
  "forbidden",
  "not_found",
  "conflict",
  "rate_limit_exceeded",
  "internal_error",
  "service_unavailable",
] as const;
export type ErrorOfAdmin = (typeof ADMIN_CODES)[number];

/** Those that every operation can be refused with. */
export const ANYWHERE: readonly ErrorOfAdmin[] = ["internal_error", "service_unavailable"];

/** Of those that ask for a credential. */
export const WITH_CREDENTIAL: readonly ErrorOfAdmin[] = ["invalid_credentials", "forbidden", ...ANYWHERE];

const WORDS: Record<ErrorOfAdmin, { condition: string; example: string; param?: string }> = {
  invalid_request: {
    condition: "The request is invalid; the message names the field. Nothing was changed.",
    example: "rpm_limit: Input should be at least 1",
    param: "rpm_limit",
  },
  invalid_credentials: {
    condition: "The token or the session is missing, wrong, expired or revoked.",
    example:
      "Send the automation token or a personal token as `Authorization: Bearer <token>`, or sign in with POST /admin/v1/session.",
  },
  forbidden: {
    condition: "Your role does not allow this, or not there. Nothing was changed.",
    example: "This needs one of the roles owner, operator. Ask an owner for a grant.",
  },
  not_found: {
    condition: "No such object.",
    example: 'There is no provider "acme".',
  },
  conflict: {
    condition: "The current state does not allow the change; the message says why. Nothing was changed.",
    example: "Can't suspend key tgc_a034Fq4J…: it is revoked. This is final. Create a new key.",
  },
  rate_limit_exceeded: {
    condition: "Too many failed sign-ins. Retry after `Retry-After` seconds.",
    example: "Too many failed sign-ins. Please try again in 840s.",
  },
  internal_error: {
    condition: "An error in the gateway. Look up the request id in its log.",
    example: "Unexpected gateway error. The log has a line with this request id.",
  },
  service_unavailable: {
    condition:
      "The database is not available, too slow, or busy with other operators; the message says which. Retry after `Retry-After` seconds.",
    example: "The database does not respond. Try again in a moment.",
  },
};

export const adminErrorComponents = {
  Error: component({
    schema: formatAErrorSchema,
    about: "An error.",
    fields: { error: "What went wrong." },
  }),
  ErrorDetail: component({
    schema: formatAErrorSchema.shape.error,
    about: "Further fields may be added.",
    fields: {
      message: "What is wrong and how to fix it, for people.",
      type: "Kind of error.",
      code: { about: "Exact error code, for programs. New codes may be added.", knownValues: ADMIN_CODES },
      param: "Path of the invalid field, such as `routes.0.weight`; null: no single field.",
      request_id: "Same as the header `x-request-id`.",
    },
  }),
} satisfies Record<string, Component>;

export const ADMIN_HEADERS: Record<string, Header | Reference> = {
  "x-request-id": { $ref: "#/components/headers/RequestId" },
};

/** Each code has a status to itself, so a response stands in the description once, named after its code. */
export function describeAdminRefusals(): Record<string, Response> {
  return Object.fromEntries(
    ADMIN_CODES.map((code) => [
      code,
      refusalResponse([renderExample(code)], {
        schema: "Error" satisfies keyof typeof adminErrorComponents,
        headers: ADMIN_HEADERS,
      }),
    ]),
  );
}

/** The responses of an operation that can be refused with these. */
export const refusalsOf = (codes: readonly ErrorOfAdmin[]): Record<string, Reference> =>
  Object.fromEntries(
    ADMIN_CODES.filter((code) => codes.includes(code)).map((code) => [
      String(renderExample(code).status),
      { $ref: `#/components/responses/${code}` },
    ]),
  );

export function listAdminErrorCodes(): AdminDocument["x-error-codes"] {
  return ADMIN_CODES.map((code) => {
    const { condition, status, body } = renderExample(code);
    return { code, condition, status, type: body.error.type };
  });
}

function renderExample(code: ErrorOfAdmin): RefusalExample<{ error: { type: string } }> {
  const { condition, example, param } = WORDS[code];
  const { status, headers, body } =
    code === "conflict"
      ? renderConflict(new Conflict(example), EXAMPLE_REQUEST_ID)
      : code === "forbidden"
        ? renderForbidden(new Forbidden(example), EXAMPLE_REQUEST_ID)
        : renderFormatA(new Fault(code, example, param === undefined ? {} : { param }), EXAMPLE_REQUEST_ID);
  return { code, condition, status, headers, body: JSON.parse(body) as { error: { type: string } } };
}
