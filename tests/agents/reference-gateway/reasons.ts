import type { Reason } from "./compare-fields.ts";

const ANY = /./;

/** Why our answers differ. The first that fits counts, so what is special stands before what is general. */
export const REASONS: readonly Reason[] = [
  {
    probes: /^revoke$|^usage, revoked$/,
    fields: /^(status|header (cache-control|x-should-retry)|body.*)$/,
    why: "`claude gateway` has no revocation: its tokens are valid until they expire. Ours end with the session",
  },
  {
    probes: /^discovery$/,
    fields: /^body\.revocation_/,
    why: "We advertise revocation, so that signing out ends the session. Clients use it if it is there",
  },
  {
    probes: /^token, denied$/,
    fields: /^body\.error$/,
    why: "`claude gateway` leaves the approval to the identity provider, and a person who cancels there leaves the client waiting. Our page has a Deny button that ends it at once",
  },
  {
    probes: /^token, no grant type$/,
    fields: /^body\.error$/,
    why: "A parameter that is missing is `invalid_request` in RFC 6749",
  },
  {
    probes: /^code page, form of another site$/,
    fields: /^(status|header x-should-retry)$/,
    why: "We reject a form of another site with an error status",
  },
  {
    probes: /^code page/,
    fields: /^header (content-security-policy|referrer-policy|cross-origin-resource-policy)$/,
    why: "Our pages allow only their own style, by its digest. They send the referrer to their own origin, because the check of the origin needs it",
  },
  {
    probes: /^managed settings, none/,
    fields: /^(status|body.*|header (etag|cache-control|content-type))$/,
    why: "Our telemetry settings are for everybody, so that a person without other settings gets a document instead of 404",
  },
  {
    probes: /^managed settings/,
    fields: /^body\.settings\.modelPricing/,
    why: "`claude gateway` sends its prices for the client's own estimate. Our charges are in `/usage` and in the response header `x-tollgate-cost`",
  },
  {
    probes: /^managed settings/,
    fields: /^header (vary|cache-control|etag)$/,
    why: "Our settings depend on the person and not on the client's version, must not be kept by shared caches, and have their ETag on 304 too, as RFC 9110 asks for",
  },
  {
    probes: ANY,
    fields: /^header x-cc-gateway-version$/,
    why: "The version of `claude gateway`. We do not publish ours",
  },
  {
    probes: /^models$/,
    fields: /^body/,
    why: "The public interface fixes our list of models, in the OpenAI format. Claude Code asks for it only if its settings turn that on; `availableModels` in the managed settings names models to it",
  },
  {
    probes: /^message, unknown model$/,
    fields: /^(status|body\.error\.type)$/,
    why: "The public interface fixes 404 for an unknown model, as the Anthropic API has it",
  },
  {
    probes: /^bootstrap of Claude Desktop$|^protocol$/,
    fields: /^(status|body.*|header (cache-control|content-type|x-should-retry))$/,
    why: "We do not serve Claude Desktop or a copy of the contract. The paths get the 404 of any unknown path",
  },
  {
    probes: /^telemetry/,
    fields: /^(body.*|header content-type)$/,
    why: "Our response to telemetry has an empty JSON object as its body, which exporters do not read. Errors of these paths have the OpenAI format",
  },
  {
    probes: /^hello$/,
    fields: /^header content-type$/,
    why: "Our 404 of a HEAD request has the headers of its GET request",
  },
  {
    probes: ANY,
    fields: /^body\.error_description$|^header retry-after$/,
    why: "OAuth errors of ours say in words what is wrong, and how long to wait",
  },
  {
    probes: ANY,
    fields: /^body\.error\.(message|code|request_id)$|^body\.request_id$|^header x-should-retry$/,
    why: "Our errors have their own words, a code and the request id, and tell the client not to retry what cannot succeed",
  },
  {
    probes: ANY,
    fields: /^header (x-tollgate-.*)$/,
    why: "Headers of the public interface: charge, fidelity, renewal and who counted",
  },
  {
    probes: ANY,
    fields: /^header x-sim-/,
    why: "`claude gateway` passes the provider's own headers on. We do not",
  },
  {
    probes: ANY,
    fields: /^header (x-request-id|request-id)$/,
    why: "Every response of ours has its id under both names that SDKs read",
  },
  {
    probes: ANY,
    fields: /^header content-type$/,
    why: "JSON is UTF-8 without saying so",
  },
  {
    probes: ANY,
    fields:
      /^header (cross-origin-opener-policy|referrer-policy|x-content-type-options|x-frame-options|pragma|cache-control)$/,
    why: "`claude gateway` sends the headers of pages with every response. We send them with pages, and `no-store` with everything that is secret",
  },
];
