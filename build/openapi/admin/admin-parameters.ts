import type { JsonSchema, Parameter } from "../document.ts";
import { EXAMPLE_REQUEST_ID } from "../examples.ts";
import type { AdminOperation } from "./admin-operation.ts";
import { pascal, writeSchema } from "./admin-schemas.ts";
import { QUERY_WORDS } from "./field-words.ts";

/** Those of the path, then those of the query, in the order of their schemas. */
export function describeParameters({ params, query }: AdminOperation): Parameter[] {
  return [
    ...(params === null ? [] : parametersIn("path", writeSchema(params))),
    ...(query === null ? [] : parametersIn("query", writeSchema(query))),
  ];
}

function parametersIn(place: "path" | "query", { properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, { description = QUERY_WORDS[name] ?? "", examples, ...schema }]) => {
    const example = (examples?.[0] as string | undefined) ?? (place === "path" ? PATH_EXAMPLES[name] : undefined);
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      description,
      schema,
      ...(example === undefined ? {} : { example }),
    };
  });
}

const PATH_EXAMPLES: Record<string, string> = {
  key: "tgc_0a1Qm3xY",
  model: "acme-large",
  provider: "acme",
  request: EXAMPLE_REQUEST_ID,
  route: "acme/large-2026-10",
};

/** What several operations take in the same words stands in the description once; by its words. */
export function nameSharedParameters(
  operations: readonly AdminOperation[],
): Map<string, { name: string; parameter: Parameter }> {
  const all = operations.flatMap((facts) =>
    describeParameters(facts).map((parameter) => ({ parameter, id: facts.id })),
  );
  const shared = new Map<string, { name: string; parameter: Parameter }>();
  for (const [text, uses] of Map.groupBy(all, ({ parameter }) => JSON.stringify(parameter))) {
    const [first] = uses;
    if (first === undefined || uses.length === 1) continue;
    const short = pascal(first.parameter.name);
    const taken = [...shared.values()].some(({ name }) => name === short);
    shared.set(text, { name: taken ? `${pascal(first.id)}${short}` : short, parameter: first.parameter });
  }
  return shared;
}
