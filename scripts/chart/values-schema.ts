import { listFields } from "../../src/config/fields.ts";
import { createJsonSchema } from "../../src/config/json-schema.ts";

type Schema = { pattern?: string; properties?: Record<string, Schema> } & Record<string, unknown>;

/** The schema of the chart's values, with every setting that is no secret. The rest of the file is written by hand. */
export function chartSchema(text: string): string {
  const schema = JSON.parse(text) as { properties: Record<string, Schema> };
  const { $schema: _draft, title: _title, ...settings } = createJsonSchema();
  schema.properties["settings"] = forHelm(settings, "");
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const SECRETS = new Set(listFields().flatMap(({ path, secret }) => (secret ? [path] : [])));

/** Without patterns: Helm's regular expressions are not those of the program, which checks them when it starts. */
function forHelm({ pattern: _pattern, properties, ...rest }: Schema, path: string): Schema {
  const anyOf = rest["anyOf"] as Schema[] | undefined;
  return {
    ...rest,
    ...(anyOf && { anyOf: anyOf.map((one) => forHelm(one, path)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).flatMap(([name, value]) => {
          const at = path === "" ? name : `${path}.${name}`;
          return SECRETS.has(at) ? [] : [[name, forHelm(value, at)]];
        }),
      ),
    }),
  };
}
