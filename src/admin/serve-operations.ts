import { type AnyOperation, isInQuery, type Operations, parametersOf } from "../contract/operation.ts";
import type { KnownPerson } from "../operator/identify.ts";
import type { Operator } from "../operator/operator.ts";
import { type Schema, written } from "../wire/validate.ts";
import { type AdminRoute, route, type TAGS } from "./route.ts";

type Method = (...args: unknown[]) => Promise<never>;
/** `person`: for use cases that depend on who asks; null: the automation token. */
type Of<Group> = (operator: Operator, person: KnownPerson | null) => Group;
type Served<Group> = { tag: keyof typeof TAGS; operations: Operations<Group>; of: Of<Group> };

/** The routes of a resource: each reads what was asked by the operation's schemas, calls the method of its name, and writes its answer. */
export function serveOperations<Group>({ tag, operations, of }: Served<Group>): AdminRoute[] {
  return Object.entries(operations as Record<string, AnyOperation>).flatMap(([name, operation]) => {
    const methodOf: Of<Method> = (operator, person) => (of(operator, person) as Record<string, Method>)[name] as Method;
    const { variants } = operation;
    if (variants === undefined) return [routeOf({ tag, operation, methodOf })];
    const last = parametersOf(operation.path).at(-1) ?? "";
    return Object.entries(variants).map(([value, words]) =>
      routeOf({
        tag,
        operation: { ...operation, ...words, path: operation.path.replace(`{${last}}`, value) as `/${string}` },
        methodOf,
        bound: [value],
      }),
    );
  });
}

type Made = {
  tag: keyof typeof TAGS;
  operation: AnyOperation;
  methodOf: Of<Method>;
  /** What its path says instead of a parameter. */
  bound?: readonly string[];
};

function routeOf({ tag, operation, methodOf, bound = [] }: Made): AdminRoute {
  const { id = "", method, path, summary = "", description, refusals, params, payload, answer, status } = operation;
  const names = parametersOf(path);
  const inQuery = isInQuery(operation);
  const statuses = typeof status === "object" ? ([201, 200] as const) : ([status ?? 200] as const);
  return route<Readonly<Record<number, Schema>>>({
    id,
    tag,
    method,
    path: `/admin/v1${path}`,
    summary,
    ...(description !== undefined && { description }),
    ...(refusals !== undefined && { refusals }),
    ...(params !== undefined && { params }),
    ...(payload !== undefined && (inQuery ? { query: payload } : { body: payload })),
    answers: Object.fromEntries(statuses.map((one) => [one, answer])),
    handle: async ({ operator }, asked) => {
      const given = asked.params as Readonly<Record<string, string>> | undefined;
      const payloads = payload === undefined ? [] : [inQuery ? asked.query : asked.body];
      const work = methodOf(operator, asked.person);
      const result = await work(...names.map((one) => given?.[one]), ...bound, ...payloads, asked.by);
      return {
        status: typeof status === "object" ? status.of(result) : (status ?? 200),
        body: written(answer, result),
      };
    },
  });
}
