/** The types of both APIs for the console, from their OpenAPI documents: what an operation takes and what it answers. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeOperations, writeResources } from "./write-operations.ts";

type Schema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Content = { content?: Record<string, { schema: Schema }> };
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema };
type Operation = {
  summary: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Paths = Record<string, Record<string, Operation>>;
type Document = {
  paths: Paths;
  "x-additions"?: Paths;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

const HEAD = "// Written by scripts/console/write-types.ts from the OpenAPI document. Not kept in the repository.\n";

/** `table` is the name of the type that lists the operations. */
export function writeTypes({ from, to, table }: { from: string; to: string; table: string }): void {
  const document = JSON.parse(readFileSync(from, "utf8")) as Document;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, `${HEAD}${typesOf(document)}\n${operationsOf(document, table)}`);
}

export const consoleTypes = (root: string): void => {
  const generated = join(root, "console/src/api/generated");
  const [admin, holder] = [
    join(root, "docs/reference/admin-openapi.json"),
    join(root, "docs/reference/openapi.json"),
  ] as const;
  writeTypes({ from: admin, to: join(generated, "admin.ts"), table: "AdminOperations" });
  writeTypes({ from: holder, to: join(generated, "holder.ts"), table: "HolderOperations" });
  writeOperations({ from: admin, to: join(generated, "operations.ts") });
  writeResources({ from: [admin, holder], to: join(generated, "resources.ts") });
};

const typesOf = ({ components }: Document): string =>
  Object.entries(components.schemas)
    .map(([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`)
    .join("");

function operationsOf({ paths, "x-additions": additions, components }: Document, table: string): string {
  const rows = Object.entries({ ...paths, ...additions }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, parameters = [], requestBody, responses }]) => {
      const all = parameters.map((parameter) => resolve(parameter, components.parameters));
      const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
      const parts = [
        `params: ${objectOf(all.filter((one) => one.in === "path"))}`,
        `query: ${objectOf(all.filter((one) => one.in === "query"))}`,
        `body: ${bodyOf(requestBody) ?? "undefined"}`,
        `answer: ${bodyOf(answer) ?? "undefined"}`,
      ];
      return `${comment(summary)}  "${method.toUpperCase()} ${path}": { ${parts.join("; ")} };\n`;
    }),
  );
  return `export type ${table} = {\n${rows.join("")}};\n`;
}

const resolve = (parameter: Parameter, known: Record<string, Parameter> = {}): Parameter =>
  parameter.$ref === undefined ? parameter : (known[parameter.$ref.split("/").at(-1) ?? ""] ?? parameter);

const objectOf = (parameters: readonly Parameter[]): string =>
  `{ ${parameters.map(({ name, required, schema }) => `${key(name)}${required ? "" : "?"}: ${typeOf(schema)}`).join("; ")} }`;

const bodyOf = (content: Content | undefined): string | null => {
  const schema = content?.content?.["application/json"]?.schema;
  return schema === undefined ? null : typeOf(schema);
};

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `readonly (${schema.items ? typeOf(schema.items) : "unknown"})[]`;
  if (schema.type === "object") return typeOfObject(schema);
  return SIMPLE[schema.type ?? ""] ?? "unknown";
}

const SIMPLE: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

function typeOfObject({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined)
    return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"}>`;
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${key(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  return `{ ${members.join("\n")} }`;
}

const key = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name));

const comment = (text: string | undefined): string =>
  text === undefined ? "" : `/** ${text.replaceAll("*/", "*​/").replaceAll(/\s+/g, " ")} */\n`;
