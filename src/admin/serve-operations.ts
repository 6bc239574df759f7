import { type AnyOperation, isInQuery, type Operations, parametersOf, pathOf } from "../contract/operation.ts";
import type { KnownPerson } from "../entrance/identify.ts";
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
    return formsOf(operation).map((form) => routeOf({ tag, ...form, methodOf }));
  });
}

type Form = {
  operation: AnyOperation;
  /** What the method is called with for the parameters of the path. */
  argsOf: (names: readonly unknown[]) => readonly unknown[];
};

/** A method can be behind several operations. */
function formsOf(operation: AnyOperation): Form[] {
  const { path, variants, holders } = operation;
  if (holders !== undefined)
    return Object.entries(holders).map(([kind, words]) => ({
      operation: { ...operation, ...words, path: pathOf(kind as keyof typeof holders, path) },
      argsOf: (names) => (kind === "all" ? [null, ...names] : [{ kind, name: names[0] }, ...names.slice(1)]),
    }));
  if (variants === undefined) return [{ operation, argsOf: (names) => names }];
  const last = parametersOf(path).at(-1) ?? "";
  return Object.entries(variants).map(([value, words]) => ({
    operation: { ...operation, ...words, path: path.replace(`{${last}}`, value) as `/${string}` },
    argsOf: (names) => [...names, value],
  }));
}

type Made = Form & { tag: keyof typeof TAGS; methodOf: Of<Method> };

function routeOf({ tag, operation, argsOf, methodOf }: Made): AdminRoute {
  const {
    id = "",
    method,
    path,
    summary = "",
    description,
    refusals,
    params,
    payload,
    answer,
    status,
    maxBodyBytes,
  } = operation;
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
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    ...(payload !== undefined && (inQuery ? { query: payload } : { body: payload })),
    answers: Object.fromEntries(statuses.map((one) => [one, answer])),
    handle: async ({ operator }, asked) => {
      const given = asked.params as Readonly<Record<string, string>> | undefined;
      const payloads = payload === undefined ? [] : [inQuery ? asked.query : asked.body];
      const work = methodOf(operator, asked.person);
      const result = await work(...argsOf(names.map((one) => given?.[one])), ...payloads, asked.by);
      return {
        status: typeof status === "object" ? status.of(result) : (status ?? 200),
        body: written(answer, result),
      };
    },
  });
}
