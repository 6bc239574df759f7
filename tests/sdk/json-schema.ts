/** As much of a JSON Schema as is looked into here. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  required?: string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  discriminator?: { propertyName: string };
};

const DEFINITIONS = "#/definitions/";

/**
 * Says of every choice between objects that are told apart by their `type` that they are. It is the same schema; but one that
 * fails then names the member at fault, and not each way in which each of fifty kinds of event would have been another.
 */
export function tellApart(schema: JsonSchema): JsonSchema {
  const resolve = (node: JsonSchema): JsonSchema => {
    const name = node.$ref?.slice(DEFINITIONS.length);
    const found = name === undefined ? undefined : schema.definitions?.[decodeURIComponent(name)];
    return found === undefined ? node : resolve(found);
  };
  const choicesOf = (node: JsonSchema): JsonSchema[] =>
    (resolve(node).anyOf ?? [node]).flatMap((choice) => (choice === node ? [node] : choicesOf(choice)));
  const tagsOf = (node: JsonSchema): unknown[] => {
    const { properties, required } = resolve(node);
    const tag = properties?.["type"];
    if (tag === undefined || !required?.includes("type")) return [];
    return tag.const === undefined ? (tag.enum ?? []) : [tag.const];
  };

  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    const seen = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, visit(value)]));
    const { anyOf } = node as JsonSchema;
    if (!Array.isArray(anyOf)) return seen;
    const choices = choicesOf(node);
    const tags = choices.map(tagsOf);
    const distinct = tags.every(({ length }) => length > 0) && new Set(tags.flat()).size === tags.flat().length;
    if (!distinct || choices.length < 2) return seen;
    const { anyOf: _, ...rest } = seen;
    return { ...rest, type: "object", required: ["type"], discriminator: { propertyName: "type" }, oneOf: choices };
  };
  return visit(schema) as JsonSchema;
}
