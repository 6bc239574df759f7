import type { ServerResponse } from "node:http";
import type { KeyHolder, HolderDoor } from "../../gateway/holder/holder-door.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { type Query, readQuery } from "../../wire/holder/query.ts";
import type { ReadAs, Schema } from "../../wire/validate.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import { extractCredential, type EqualCredentials } from "../credential/credential.ts";
import { type Exchange, NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendCsv } from "../write/send-csv.ts";
import { sendJson } from "../write/send-json.ts";
import type { SessionCookie } from "../credential/session-cookie.ts";

/** A read of the key holder's API: what it takes, what it tells, and the JSON of that. `below`: what follows a path that ends in `/*`. */
export type HolderRead<Of extends Schema = Schema, Told = unknown, Body = unknown> = {
  path: string;
  query: Query<Of>;
  tell: (holder: KeyHolder, asked: { query: ReadAs<Of>; below: string }) => Promise<Told>;
  write: (told: Told) => Body;
  /** Makes a file of it. */
  csv?: (body: Body) => string;
};

/** Ties the type of the query to that of the function which gets it, what this tells to what writes it, and its JSON to what makes a file of it. */
export const holderRead = <Of extends Schema, Told, Body>(read: HolderRead<Of, Told, Body>): HolderRead =>
  read as unknown as HolderRead;

type Parts = {
  door: HolderDoor;
  cookie: SessionCookie;
  callerAddress: CallerAddress;
  equalCredentials: EqualCredentials;
};

/** What the routes of the key holder's API have in common. They are outside of the interface, and serve keys of either mode at one place. */
export const HOLDER_ROUTE = {
  origins: ["credit"],
  name: "holder",
  dialect: null,
  credential: null,
  rate: "counted_within",
  maxBodyBytes: 0,
  refusals: "full",
  render: renderFormatA,
} as const satisfies Partial<PublicRoute>;

/** Makes the route of a read. */
export const createServeRead =
  ({ door, cookie, callerAddress, equalCredentials }: Parts) =>
  ({ path, query, tell, write, csv }: HolderRead): PublicRoute => ({
    ...HOLDER_ROUTE,
    method: "GET",
    path,
    work: async ({ context, request, response, below }) => {
      keepPrivate(response);
      const shown = {
        secret: extractCredential(request.rawHeaders, "bearer_or_header", equalCredentials),
        token: cookie.read(request),
        address: () => callerAddress(request),
      };
      const told = await door.read(shown, (holder) => {
        noteHolder(context, holder);
        return tell(holder, { query: readQuery(query, request.url ?? ""), below });
      });
      const { requestId } = context;
      const value = write(told);
      const bytesOut =
        csv === undefined
          ? sendJson(response, { requestId, value })
          : sendCsv(response, { requestId, text: csv(value), path, next: nextOf(value) });
      return { ...NOTHING_GENERATED, status: 200, bytesOut };
    },
  });

/** Where the page after this one begins; null: this is the last. */
const nextOf = (value: unknown): string | null => (value as { next?: string | null }).next ?? null;

export const noteHolder = ({ log }: Exchange["context"], { key }: Pick<KeyHolder, "key">): void =>
  log.authenticated({
    keyId: key.id,
    prefix: key.prefix,
    accountId: key.accountId === key.id ? null : key.accountId,
  });

/** For its one reader: kept by no cache, embedded by no other site, and taken for nothing but what it is. */
export function keepPrivate(response: ServerResponse): void {
  response.setHeader("cache-control", "no-store");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("x-content-type-options", "nosniff");
}
