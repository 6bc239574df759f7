import { createHash, createHmac } from "node:crypto";
import { invariant } from "../../core/invariant.ts";
import type { Secret } from "../../core/secret/secret.ts";
import type { AwsKeys } from "./aws-keys.ts";

/** What a signature is valid for, beside its day. */
export type AwsScope = { region: string; service: string };

export type RequestToSign = AwsScope & {
  keys: AwsKeys;
  method: string;
  /** As it is sent in the header `host`, with the port if there is one. */
  host: string;
  /** With the query, percent-encoded as it is sent. */
  path: string;
  /** Those to be sent, in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  nowMs: number;
};

const ALGORITHM = "AWS4-HMAC-SHA256";
const OWN_HEADERS = ["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"];
/** Load balancers write it anew. */
const TRACE_HEADER = "x-amzn-trace-id";
/** A process has few providers. More scopes than this for one secret are signed with keys that are derived each time. */
const SCOPES_PER_SECRET = 32;

/** The headers that make AWS accept a request: Signature Version 4. */
export function signRequest({ keys, region, service, ...request }: RequestToSign): Record<string, string> {
  const taken = OWN_HEADERS.find((name) => name in request.headers);
  invariant(taken === undefined, `a request that is to be signed has the header ${taken}`);
  const time = new Date(request.nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const bodyHash = sha256(request.body);
  const added: Record<string, string> = { "x-amz-content-sha256": bodyHash, "x-amz-date": time };
  if (keys.sessionToken !== null) added["x-amz-security-token"] = keys.sessionToken.reveal();

  const signed = signedHeaders({ ...request.headers, ...added, host: request.host });
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    request.method,
    ...canonicalTarget(request.path),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    bodyHash,
  ].join("\n");
  const signature = createHmac("sha256", signingKey(keys.secretAccessKey, scope))
    .update([ALGORITHM, time, scope, sha256(canonical)].join("\n"))
    .digest("hex");
  const credential = `${keys.accessKeyId}/${scope}`;
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Only what no proxy may change, ordered by name. */
const signedHeaders = (headers: Record<string, string>): [name: string, value: string][] =>
  Object.entries(headers)
    .filter(
      ([name]) => name === "host" || name === "content-type" || (name.startsWith("x-amz") && name !== TRACE_HEADER),
    )
    .map(([name, value]): [string, string] => [name, value.replaceAll(/[ \t\r\n]+/g, " ").replaceAll(/^ | $/g, "")])
    .toSorted(byName);

/**
 * The path without `.`, `..` and empty segments, each segment encoded once more than it is sent; and the query by name, then by value,
 * each encoded once.
 */
function canonicalTarget(target: string): [path: string, query: string] {
  const queryAt = target.indexOf("?");
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(encode(segment));
  }
  const ending = segments.length > 0 && path.endsWith("/") ? "/" : "";

  const query = queryAt < 0 ? [] : target.slice(queryAt + 1).split("&");
  const pairs = query
    .filter((pair) => pair !== "")
    .map((pair): [string, string] => {
      const equalsAt = `${pair}=`.indexOf("=");
      return [
        encode(decodeURIComponent(pair.slice(0, equalsAt))),
        encode(decodeURIComponent(pair.slice(equalsAt + 1))),
      ];
    })
    .toSorted(([one, left], [other, right]) => byName([one], [other]) || byName([left], [right]));
  return [`/${segments.join("/")}${ending}`, pairs.map(([name, value]) => `${name}=${value}`).join("&")];
}

/** All but letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const byName = ([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number =>
  one < other ? -1 : Number(one > other);

/** Kept as long as the secret itself, so that keys which were replaced leave nothing behind. */
const DAY_KEYS = new WeakMap<Secret, Map<string, Buffer>>();

function signingKey(secret: Secret, scope: string): Buffer {
  const known = DAY_KEYS.get(secret) ?? new Map<string, Buffer>();
  DAY_KEYS.set(secret, known);
  const kept = known.get(scope);
  if (kept) return kept;
  let key = Buffer.from(`AWS4${secret.reveal()}`);
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  // Those of yesterday go with the others: to derive a key takes four short hashes.
  if (known.size >= SCOPES_PER_SECRET) known.clear();
  known.set(scope, key);
  return key;
}

const sha256 = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex");

const REGION = "([a-z]{2,8}(?:-[a-z]{1,20}){1,3}-[0-9]{1,2})";
/** The hosts that may get a signature. Each is a whole name as AWS writes it: no port, no trailing dot, no upper case. */
const HOSTS: readonly [host: RegExp, service: string][] = [
  [new RegExp(`^bedrock-runtime(?:-fips)?\\.${REGION}\\.amazonaws\\.com(?:\\.cn)?$`), "bedrock"],
  [new RegExp(`^vpce-[a-z0-9-]{1,58}\\.bedrock-runtime\\.${REGION}\\.vpce\\.amazonaws\\.com$`), "bedrock"],
  [new RegExp(`^bedrock-mantle\\.${REGION}\\.api\\.aws$`), "bedrock-mantle"],
  [new RegExp(`^aws-external-anthropic\\.${REGION}\\.api\\.aws$`), "aws-external-anthropic"],
];

/** What a host's own name says to sign for; null for every host that must not get a signature. */
export function scopeOf(host: string): AwsScope | null {
  for (const [pattern, service] of HOSTS) {
    const region = pattern.exec(host)?.[1];
    if (region !== undefined) return { region, service };
  }
  return null;
}
