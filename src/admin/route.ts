import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Refusal } from "../contract/operation.ts";
import type { By } from "../core/people/by.ts";
import type { KnownPerson } from "../entrance/identify.ts";
import type { ReadAs, Schema, WrittenAs } from "../wire/validate.ts";
import type { AdminParts } from "./admin-parts.ts";

/** The groups of operations in the admin API. */
export const TAGS = {
  keys: "Create, list, show and change keys.",
  accounts: "Organisations, teams and people: what they have paid and what they may spend.",
  funds: "Balance, top-ups and token budget of a key.",
  usage: "Usage of a key.",
  notices: "Notices that a limit is nearly used or a purse runs low, and their thresholds.",
  session: "Sign in and out, and personal tokens.",
  "sign-in": "Sign in through an identity provider, in a browser.",
  people: "People who operate the gateway: roles, passwords, sessions.",
  live: "Requests in flight: list them, and cancel one.",
  requests: "Finished requests, and sums of them over time.",
  ledger: "The journal, its verification, and requests in quarantine.",
  providers: "Add, list, test and remove providers.",
  models: "Add, list, price, publish and unpublish models.",
  catalogue: "Apply or import many providers and models at once.",
  audit: "The log of changes and rejected attempts.",
  system: "The installation: its settings and its state.",
  health: "Health of the gateway and of its routes to providers.",
} as const;

/** What a browser is told beside the body. */
type ToBrowser = { cookie?: string | readonly string[]; location?: string };

type Answers = Readonly<Record<number, Schema>>;
type Answer<Given extends Answers> = {
  [Status in keyof Given & number]: {
    status: Status;
    body: WrittenAs<Given[Status]> | (WrittenAs<Given[Status]> extends string ? Readable : never);
    type?: string;
  } & ToBrowser;
}[keyof Given & number];

type Described = {
  /** Names the operation for good: clients are generated from it. */
  id: string;
  tag: keyof typeof TAGS;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `{name}` stands for a parameter. */
  path: `/${string}`;
  summary: string;
  description?: string;
  /** `none`: load balancers and orchestrators ask this, who have no token. `metrics`: so may whoever has the token for them. */
  credential?: "operator" | "metrics" | "none";
  /** What the answers are in. A handler may say it more exactly, with version and character set. */
  media?: "application/json" | "text/plain" | "text/csv" | "application/x-ndjson" | "text/event-stream";
  maxBodyBytes?: number;
  refusals?: readonly Refusal[];
};

/** What a handler works with, read and checked by the schemas of its route. */
export type Asked<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  by: By & { requestId: string };
  /** Null: the automation token, or nobody where none is asked for. */
  person: KnownPerson | null;
  came: Came;
};

/** How a request came, for the operations that let people in. `isLocal`: over loopback. */
export type Came = {
  method: string;
  address: string;
  agent: string;
  headers: IncomingHttpHeaders;
  url: string;
  isLocal: boolean;
};

type Typed<Params extends Schema, Query extends Schema, Body extends Schema, Given extends Answers> = Described & {
  params?: Params;
  query?: Query;
  body?: Body;
  answers: Given;
  handle: (
    parts: AdminParts,
    asked: Asked<ReadAs<Params>, ReadAs<Query>, ReadAs<Body>>,
  ) => Promise<Answer<NoInfer<Given>>> | Answer<NoInfer<Given>>;
};

/** One operation of the admin API: all that is known of it stands in this one object, and its description is made from it. */
export type AdminRoute = Required<Pick<Described, "credential" | "maxBodyBytes" | "media" | "refusals">> &
  Described & {
    /** Null: there are none, or none that are looked at. */
    params: Schema | null;
    query: Schema | null;
    body: Schema | null;
    /** Many clients send no body where nothing must be said. */
    bodyNeeded: boolean;
    /** By status. */
    answers: Answers;
    handle: (parts: AdminParts, asked: Asked<never, never, never>) => Promise<Written> | Written;
  };

type Written = { status: number; body: unknown; type?: string } & ToBrowser;

const MAX_BODY_BYTES = 1_048_576;

/** Declares an operation. What is left out is as usual: for operators, JSON, a megabyte, and no refusals of its own. */
export const route = <
  Given extends Answers,
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
>(
  declared: Typed<Params, Query, Body, Given>,
): AdminRoute => ({
  credential: "operator",
  media: "application/json",
  maxBodyBytes: MAX_BODY_BYTES,
  refusals: [],
  ...declared,
  params: declared.params ?? null,
  query: declared.query ?? null,
  body: declared.body ?? null,
  bodyNeeded: declared.body !== undefined && !declared.body.safeParse({}).success,
});
