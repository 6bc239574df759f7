/** Who may do which operation of the admin API, and which resource each operation belongs to, for the console, from the OpenAPI documents. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  "x-tollgate-roles"?: string[] | "anyone";
  "x-tollgate-leads"?: boolean;
};
type Document = {
  tags: { name: string; description: string }[];
  paths: Paths;
  "x-additions"?: Paths;
};
type Paths = Record<string, Record<string, Operation>>;

const HEAD =
  "// Written by scripts/console/write-operations.ts from the OpenAPI document. Not kept in the repository.\n";

/** Operations that ask for no credential are left out: whoever reaches the listener may do them. */
export function writeOperations({ from, to }: { from: string; to: string }): void {
  const { paths, tags } = JSON.parse(readFileSync(from, "utf8")) as Document;
  const rows = Object.values(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { operationId: id, summary, tags, "x-tollgate-roles": roles, "x-tollgate-leads": leads } = operation;
      return roles === undefined ? [] : [{ id, area: tags[0], summary, changes: method !== "get", roles, leads }];
    }),
  );
  mkdirSync(dirname(to), { recursive: true });
  const lines = rows.map((row) => `  ${JSON.stringify(row)},\n`).join("");
  const areas = JSON.stringify(Object.fromEntries(tags.map(({ name, description }) => [name, description])));
  writeFileSync(
    to,
    `${HEAD}export const AREAS: Record<string, string> = ${areas};\nexport const OPERATIONS = [\n${lines}] as const;\n`,
  );
}

/** The resource of an operation is its tag. */
export function writeResources({ from, to }: { from: readonly string[]; to: string }): void {
  const rows = from.flatMap((document) => {
    const { paths, "x-additions": additions } = JSON.parse(readFileSync(document, "utf8")) as Document;
    return Object.entries({ ...paths, ...additions }).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => [`${method.toUpperCase()} ${path}`, tags[0]]),
    );
  });
  const table = JSON.stringify(Object.fromEntries(rows), null, 2);
  writeFileSync(to, `${HEAD}export const RESOURCES = ${table} as const;\n`);
}
