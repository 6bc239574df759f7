type Json = Record<string, unknown>;
type Check = (value: unknown, expected: never, place: Place) => string[];
type Place = { path: string; schema: Json; document: object };

/** What is wrong with a value by a schema of the document; empty when nothing is. A word of JSON Schema not known here throws. */
export function problemsOf(value: unknown, schema: object, document: object, path = "$"): string[] {
  return Object.entries(schema).flatMap(([word, expected]) => {
    if (ANNOTATIONS.has(word)) return [];
    const check = CHECKS[word];
    if (!check) throw new Error(`no check for ${word} at ${path}`);
    return check(value, expected as never, { path, schema: schema as Json, document });
  });
}

/** What a reference such as `#/components/schemas/Model` leads to. */
export function follow(reference: string, document: object): Json {
  const steps = reference.replace(/^#\//, "").split("/");
  const found = steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document);
  if (!reference.startsWith("#/") || typeof found !== "object" || found === null)
    throw new Error(`${reference} leads nowhere`);
  return found as Json;
}

const ANNOTATIONS = new Set(["description", "default", "examples", "x-extensible-enum"]);

const CHECKS: Record<string, Check> = {
  $ref: (value, expected: string, { document, path }) => problemsOf(value, follow(expected, document), document, path),
  type: (value, expected: string | string[], { path }) =>
    unless(
      [expected].flat().some((type) => isOf(value, type)),
      `${path} is no ${String(expected)}`,
    ),
  const: (value, expected, { path }) => unless(value === expected, `${path} is not ${String(expected)}`),
  enum: (value, expected: unknown[], { path }) => unless(expected.includes(value), `${path} is none of the values`),
  anyOf: (value, expected: object[], { document, path }) =>
    unless(
      expected.some((branch) => problemsOf(value, branch, document, path).length === 0),
      `${path} fits no branch`,
    ),
  items: (value, expected: object, { document, path }) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => problemsOf(item, expected, document, `${path}[${index}]`))
      : [],
  properties: (value, expected: Record<string, object>, { document, path }) =>
    Object.entries(fieldsOf(value)).flatMap(([name, field]) =>
      expected[name] ? problemsOf(field, expected[name], document, `${path}.${name}`) : [],
    ),
  required: (value, expected: string[], { path }) =>
    expected.filter((name) => !(name in fieldsOf(value))).map((name) => `${path}.${name} is missing`),
  additionalProperties: (value, expected: boolean | object, { document, path, schema }) =>
    Object.entries(fieldsOf(value))
      .filter(([name]) => !(name in ((schema["properties"] as object | undefined) ?? {})))
      .flatMap(([name, field]) => {
        if (typeof expected === "object") return problemsOf(field, expected, document, `${path}.${name}`);
        return unless(expected, `${path}.${name} is not allowed`);
      }),
  minimum: (value, expected: number, { path }) => unless(!(Number(value) < expected), `${path} is too small`),
  exclusiveMinimum: (value, expected: number, { path }) => unless(!(Number(value) <= expected), `${path} is too small`),
  maximum: (value, expected: number, { path }) => unless(!(Number(value) > expected), `${path} is too large`),
  minLength: (value, expected: number, { path }) => unless(!(sizeOf(value) < expected), `${path} is too short`),
  maxLength: (value, expected: number, { path }) => unless(!(sizeOf(value) > expected), `${path} is too long`),
  minItems: (value, expected: number, { path }) => unless(!(sizeOf(value) < expected), `${path} has too few items`),
  maxItems: (value, expected: number, { path }) => unless(!(sizeOf(value) > expected), `${path} has too many items`),
  pattern: (value, expected: string, { path }) =>
    unless(typeof value !== "string" || new RegExp(expected, "u").test(value), `${path} does not fit ${expected}`),
  format: (value, expected: string, { path }) =>
    unless(typeof value !== "string" || formatOf(expected).test(value), `${path} is no ${expected}`),
};

const FORMATS: Record<string, RegExp> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
};

function formatOf(name: string): RegExp {
  const found = FORMATS[name];
  if (!found) throw new Error(`no check for the format ${name}`);
  return found;
}

const unless = (fine: boolean, problem: string): string[] => (fine ? [] : [problem]);

const fieldsOf = (value: unknown): Json => (isOf(value, "object") ? (value as Json) : {});

/** What has no length has none that is wrong. */
const sizeOf = (value: unknown): number => (value as { length?: number } | null)?.length ?? Number.NaN;

function isOf(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
