import type { Schema } from "../wire/validate.ts";
import type { AuditRow, AuditRows } from "../operator/audit/audited.ts";
import type { Holder } from "../operator/find/holder.ts";
import type { By } from "../core/people/by.ts";

/** Beside these every operation can be refused with `invalid_credentials`, `forbidden`, `service_unavailable` and `internal_error`. */
export type Refusal =
  | "invalid_request"
  | "invalid_credentials"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "rate_limit_exceeded";

type Described = {
  /** Names the operation for good: clients are generated from it. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/admin/v1`. The parameters, `{name}`, are the first arguments of its method, in this order. */
  path: `/${string}`;
  summary: string;
  description?: string;
  refusals?: readonly Refusal[];
  params?: Schema;
  /** It may take minutes: whoever asks waits as long. */
  isLong?: true;
  /** A megabyte, unless told otherwise. */
  maxBodyBytes?: number;
};

/** One operation for each value of the last parameter of the path: `/{change}`, with the words that differ. */
type Variants = { [value: string]: Pick<Described, "id" | "summary"> };

/** Where the operations on what a holder has are, below `/admin/v1`; `all`: on what everybody has. */
const HOLDER_PATHS = { key: "/keys/{key}", account: "/accounts/{account}", all: "" } as const;

/** One operation for each of these, with the words that differ. `/{holder}` begins the path, and the first argument is the holder, null for `all`. */
type Holders = {
  [Kind in keyof typeof HOLDER_PATHS]?: Pick<Described, "id" | "summary" | "description" | "refusals" | "params">;
};

type Settled<Work> = Work extends (...args: never[]) => Promise<infer Result> ? Result : never;
type Args<Work> = Work extends (...args: infer Given) => unknown ? Given : never;

/** The payload is the argument after those of the path, and is read from the query of a GET or DELETE, else from the body. */
type ForMethod<Work> = (
  | Described
  | (Omit<Described, "id" | "summary"> & ({ variants: Variants } | { holders: Holders }))
) & {
  payload?: Schema;
  /** What it answers, as a codec of what its method answers. */
  answer: Schema;
  /** 200, unless told otherwise. */
  status?: 201 | { of: (result: Settled<Work>) => 200 | 201 };
} & (Args<Work> extends [...unknown[], By]
    ? { audit: "read" | AuditRow<Args<Work>, Settled<Work>> }
    : { audit: "read" });

/** All operations of a resource, by the names of the methods of its use cases: one that is missing does not compile. */
export type Operations<Group> = { readonly [Name in keyof Group]: ForMethod<Group[Name]> };

/** An operation of any resource, for those who serve, call or audit it. */
export type AnyOperation = Omit<Described, "id" | "summary"> &
  Partial<Pick<Described, "id" | "summary">> & {
    variants?: Variants;
    holders?: Holders;
    payload?: Schema;
    answer: Schema;
    status?: 201 | { of: (result: never) => 200 | 201 };
  };

export const isInQuery = ({ method }: Pick<Described, "method">): boolean => method === "GET" || method === "DELETE";

export const pathOf = (kind: keyof Holders, path: string) =>
  path.replace("/{holder}", HOLDER_PATHS[kind]) as `/${string}`;

/** Where a method with these arguments is asked, and which of them are left for the path and the payload. */
export function placeOf({ path, holders }: AnyOperation, args: readonly unknown[]) {
  if (holders === undefined) return { path, args };
  const [holder, ...rest] = args as [Holder | null, ...unknown[]];
  return holder === null
    ? { path: pathOf("all", path), args: rest }
    : { path: pathOf(holder.kind, path), args: [holder.name, ...rest] };
}

export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** How the changes of a resource are told in the audit log. */
export const auditRowsOf = <Group>(operations: Operations<Group>): AuditRows<Group> =>
  Object.fromEntries(
    Object.entries(operations as Record<string, { audit: unknown }>).map(([name, { audit }]) => [name, audit]),
  ) as AuditRows<Group>;
