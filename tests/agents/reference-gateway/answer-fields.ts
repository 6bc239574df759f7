import { isObject } from "../../../src/core/bytes/is-object.ts";

export type Answer = { status: number; headers: Headers; body: string };

/** An answer as names and values that can be compared: what is different each time stands there as what it is. */
export type Fields = ReadonlyMap<string, string>;

/** What the connection and the runtime add. */
const OF_THE_CONNECTION = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"]);

/** The identity provider, whose port is another one each time. */
const LOOPBACK = /http:\/\/127\.0\.0\.1:\d+/g;

/** Values that are never the same twice, by the end of their name, and the form that they must have. */
const FORMS: readonly { name: RegExp; form: RegExp; as: string }[] = [
  { name: /access_token$/, form: /^[\w.-]{40,}$/, as: "a token" },
  { name: /refresh_token$/, form: /^[\w.-]{40,}$/, as: "a token" },
  { name: /device_code$/, form: /^[\w-]{43}$/, as: "43 characters of base64url" },
  { name: /user_code$/, form: /^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/, as: "XXXX-XXXX of consonants" },
  {
    name: /verification_uri_complete$/,
    form: /^\{base\}\/device\?user_code=[A-Z]{4}-[A-Z]{4}$/,
    as: "{base}/device?user_code=XXXX-XXXX",
  },
  { name: /(request[-_]id|call-id)$/, form: /^(req_\w+|[\da-f-]{36})$/, as: "an id" },
  { name: /(checksum|uuid)$/, form: /^sha256:[\da-f]{64}$/, as: "sha256:…" },
  { name: /etag$/, form: /^"sha256:[\da-f]{64}"$/, as: '"sha256:…"' },
  { name: /expires_in$/, form: /^(3600|3599)$/, as: "an hour" },
  { name: /renews-at$/, form: /^\d{4}-\d\d-\d\dT/, as: "a time" },
  { name: /retry-after$/, form: /^\d{1,8}$/, as: "seconds" },
  { name: /-reset$/, form: /^\d{10}$/, as: "unix seconds" },
  { name: /resets_at$/, form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, as: "a time" },
  { name: /-utilization$/, form: /^[\d.]+$/, as: "a fraction" },
  { name: /(used_credits|utilization|percent)$/, form: /^\d+$/, as: "a number" },
  { name: /body\.id$/, form: /^msg_\w+$/, as: "an id" },
  { name: /\.created$/, form: /^\d{10}$/, as: "unix seconds" },
  { name: /created_at$/, form: /^\d{4}-\d\d-\d\dT/, as: "a time" },
];

export function fieldsOf({ status, headers, body }: Answer, base: string): Fields {
  const fields: [string, string][] = [["status", String(status)]];
  for (const [name, value] of headers) if (!OF_THE_CONNECTION.has(name)) fields.push([`header ${name}`, value]);
  const parsed = parsedOf(body);
  if (parsed !== undefined) fields.push(...flat("body", parsed));
  else if (body !== "")
    fields.push(["body", headers.get("content-type")?.includes("html") ? "a page" : (body.split("\n")[0] ?? "")]);
  return new Map(
    fields.map(([name, value]) => [
      name,
      shown(name, value.replaceAll(base, "{base}").replaceAll(LOOPBACK, "{other}")),
    ]),
  );
}

const parsedOf = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
};

function flat(name: string, value: unknown): [string, string][] {
  // Of a list the first entry: the others have the same fields.
  if (Array.isArray(value) && value.some(isObject)) return flat(`${name}[0]`, value[0]);
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, each]) => flat(`${name}.${key}`, each));
  return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
}

function shown(name: string, value: string): string {
  const found = FORMS.find((each) => each.name.test(name));
  return found?.form.test(value) ? found.as : value;
}
