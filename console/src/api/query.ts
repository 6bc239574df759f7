import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type AnswerOf, call, type InputOf, type OperationName } from "./call.ts";
import { RESOURCES } from "./generated/resources.ts";

type ReadName = Extract<OperationName, `GET ${string}`>;
/** What answers page by page. */
type ListName = { [Name in ReadName]: AnswerOf<Name> extends { next: string | null } ? Name : never }[ReadName];

/** What an answer is kept under: its resource, the operation and what it was given. `form`: it is kept in another form. */
export const keyOf = <Name extends ReadName>(name: Name, input: InputOf<Name> = {}, ...form: string[]) =>
  [RESOURCES[name], name, input, ...form] as const;

/** Reads one answer. */
export const queryOf = <Name extends ReadName>(name: Name, input: InputOf<Name> = {}) =>
  queryOptions({ queryKey: keyOf(name, input), queryFn: ({ signal }) => call(name, { ...input, signal }) });

/** Reads a list page by page. */
export const pagesOf = <Name extends ListName>(name: Name, input: InputOf<Name> = {}) =>
  infiniteQueryOptions({
    queryKey: keyOf(name, input, "pages"),
    queryFn: ({ pageParam: after, signal }) =>
      call(name, { ...input, query: { ...input.query, ...(after !== null && { after }) }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** All rows of a list, or the first so many. */
export async function readAll<Row>(
  most: number,
  read: (after: string | null) => Promise<{ data: readonly Row[]; next: string | null }>,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let after: string | null = null; all.length < most;) {
    const page = await read(after);
    all.push(...page.data);
    after = page.next;
    if (after === null) break;
  }
  return all;
}
