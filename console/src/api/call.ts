import type { AdminOperations } from "./generated/admin.ts";
import type { HolderOperations } from "./generated/holder.ts";

type Operations = AdminOperations & HolderOperations;
export type OperationName = keyof Operations & string;
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];

/** What it is given: parameters of its path, of its query, and a body. */
export type InputOf<Name extends OperationName> = {
  params?: Operations[Name]["params"];
  query?: Operations[Name]["query"];
  body?: Operations[Name]["body"];
};

/** An operation that the gateway refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly param: string | null;
  constructor({ status, code, message, requestId, param }: Omit<ApiError, "name" | "cause" | "stack">) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.param = param;
  }
}

/** Calls an operation of the listener that served this page. The session is a cookie that no script can read. */
export async function call<Name extends OperationName>(
  name: Name,
  { params, query, body, signal }: InputOf<Name> & { signal?: AbortSignal } = {},
): Promise<AnswerOf<Name>> {
  const [method, path = ""] = name.split(" ");
  const response = await fetch(`${fill(path, params ?? {})}${search(query ?? {})}`, {
    method: method ?? "GET",
    credentials: "same-origin",
    redirect: "error",
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw unreachable();
  });
  if (!response.ok) throw await refusal(response);
  return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>;
}

const fill = (path: string, params: Record<string, unknown>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])));

function search(query: Record<string, string | number | boolean | undefined>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

const unreachable = (): ApiError =>
  new ApiError({
    status: 0,
    code: "unreachable",
    message: "The gateway does not answer. Check that it runs and that you are connected, then try again.",
    requestId: null,
    param: null,
  });

async function refusal(response: Response): Promise<ApiError> {
  type Told = { error?: { message?: string; code?: string; param?: string | null } };
  const told = (await response.json().catch(() => ({}))) as Told;
  return new ApiError({
    status: response.status,
    code: told.error?.code ?? "unreadable",
    message: told.error?.message ?? `The gateway answered ${response.status} without a reason.`,
    requestId: response.headers.get("x-request-id"),
    param: told.error?.param ?? null,
  });
}
