import type { Asked } from "./loopback-cloud.ts";
import { POD_TOKEN } from "./strict-entra.ts";

const MATTERS = ["authorization", "metadata", "metadata-flavor", "x-identity-header"];
const TELEMETRY = /^(?:client_info|x-client-[\w-]+|x-ms-lib-capability|client-request-id)$/;
/** What is different in each assertion. */
const EACH_TIME = /^(?:iat|nbf|exp|jti)$/;
/** Google's page asks for both in the header, and its library leaves them out. */
const ASKED_BY_THE_PAGE = /^(?:kid|typ)$/;

/** A question without what differs each time it is asked, and without what a library counts its users by. */
export function factsOf({ method, host, path, query, headers, body }: Asked): object {
  const type = headers["content-type"]?.split(";")[0];
  const form = type?.endsWith("urlencoded") ? Object.fromEntries(new URLSearchParams(body)) : {};
  return {
    place: `${method} ${host}${path}`,
    query: without(query, TELEMETRY),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => MATTERS.includes(name))),
    type: body === "" ? null : type,
    form: Object.fromEntries(
      Object.entries(without(form, TELEMETRY)).map(([name, value]) => [name, assertionIn(name, String(value))]),
    ),
    json: type === "application/json" ? (JSON.parse(body) as unknown) : null,
  };
}

const without = (members: object, names: RegExp): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.test(name)));

/** What was signed here is different each time: its header, its claims and how long it lives are not. */
function assertionIn(name: string, value: string): unknown {
  if (!name.endsWith("assertion") || value === POD_TOKEN) return value;
  const [header = {}, claims = {}] = value
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>);
  const { nbf, iat } = claims;
  return {
    header: name === "assertion" ? without(header, ASKED_BY_THE_PAGE) : header,
    claims: without(claims, EACH_TIME),
    isUnique: "jti" in claims,
    beginsBy: nbf === undefined ? "iat" : "nbf",
    livesS: Number(claims["exp"]) - Number(nbf ?? iat),
  };
}
