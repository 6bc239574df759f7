import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALSO_CHANGED } from "./also-changed.ts";

type Paths = Record<string, Record<string, { tags: string[] }>>;
const documents = ["admin-openapi.json", "openapi.json"].map(
  (name) =>
    JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs/reference", name), "utf8")) as {
      paths: Paths;
      "x-additions"?: Paths;
    },
);
const operations = documents.flatMap(({ paths, "x-additions": additions }) =>
  Object.entries({ ...paths, ...additions }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags }]) => ({ method, path, resource: tags[0] ?? "" })),
  ),
);
const isChange = ({ method, path }: { method: string; path: string }): boolean =>
  method !== "get" && /^\/(admin|me\/session)/.test(path);

test("every resource that an operation changes says what is changed with it", () => {
  const changed = operations.filter(isChange).map(({ resource }) => resource);

  expect(Object.keys(ALSO_CHANGED).toSorted()).toEqual([...new Set(changed)].toSorted());
});

test("what is changed with a resource is another one, and can be read", () => {
  const read = new Set(operations.filter(({ method }) => method === "get").map(({ resource }) => resource));

  for (const [resource, others] of Object.entries(ALSO_CHANGED)) {
    expect(others).not.toContain(resource);
    expect(others.filter((other) => !read.has(other))).toEqual([]);
  }
});
