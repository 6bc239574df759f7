import type { JsonSchema, Parameter } from "../document.ts";
import type { AdminOperation } from "./admin-operation.ts";
import { pascal, writeSchema } from "./admin-schemas.ts";

/** Those of the path, then those of the query, in the order of their schemas. */
export function describeParameters({ params, query }: AdminOperation): Parameter[] {
  return [
    ...(params === null ? [] : parametersIn("path", writeSchema(params))),
    ...(query === null ? [] : parametersIn("query", writeSchema(query))),
  ];
}

function parametersIn(place: "path" | "query", { properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, { description = "", examples, ...schema }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    description,
    schema,
    ...(examples === undefined ? {} : { example: String(examples[0]) }),
  }));
}

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
