import { CLOUD_REFERENCE } from "../../core/catalogue/cloud-reference.ts";

export const HOST = { pattern: /^[0-9A-Za-z.:_-]{1,253}$/, expected: "a host name or an IP address" };
export const POSTGRES_URL = {
  pattern: /^postgres(?:ql)?:\/\/\S+$/,
  expected: "a URL that begins with postgres:// or postgresql://",
};
export const TOKEN = { pattern: /^[\x21-\x7e]{16,512}$/, expected: "16 to 512 printable characters without spaces" };
export const BASE_URL = {
  pattern: /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/,
  expected: "an http or https URL without credentials, query or trailing slash",
};
/** As OpenTelemetry's own tools write it, with or without a slash at the end. */
export const COLLECTOR_URL = {
  pattern: /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/,
  expected: "an http or https URL without credentials or query",
};
export const DECIMAL = {
  pattern: /^(?=.*[1-9])\d{1,12}(?:\.\d{1,9})?$/,
  expected: "a decimal number above 0 with at most 9 digits after the point",
};
export const FRACTION = { pattern: /^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/, expected: "a number from 0 to 1" };
/** As OpenTelemetry writes it in `OTEL_EXPORTER_OTLP_HEADERS`. */
export const HEADER_LIST = {
  pattern: /^ ?[\w-]{1,128}=[\x21-\x2b\x2d-\x7e]{1,4096}(?: ?, ?[\w-]{1,128}=[\x21-\x2b\x2d-\x7e]{1,4096}){0,15}$/,
  expected: "name=value pairs separated by commas, with percent-encoded values",
};
export const KEY_OF_32_BYTES = {
  pattern: /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/,
  expected: "32 bytes in base64, such as the output of `openssl rand -base64 32`",
};

export const DIRECTORIES = {
  pattern: /^(?:\/[^,\0]*(?:,\/[^,\0]*)*)?$/,
  expected: "absolute paths separated by commas",
};

const REFERENCE = String.raw`(?:env:[A-Z][A-Z0-9_]{0,127}|file:/[^,=\0]+|${CLOUD_REFERENCE})=https?://[^,/?#@\s]+`;
export const REFERENCE_LIST = {
  pattern: new RegExp(`^(?:${REFERENCE}(?:, *${REFERENCE})*)?$`),
  expected: "`env:NAME=ORIGIN`, `file:/path=ORIGIN` or `aws=ORIGIN`, separated by commas",
};
