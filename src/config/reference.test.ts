import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("the example file is accepted as it is and changes nothing", () => {
  const plain = loadConfig({
    environment: {},
    readFile: () => {
      throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    },
  });

  const example = loadConfig({ options: { config: root("tollgate.example.yaml") }, environment: {} });

  expect(example.config).toEqual(plain.config);
  expect(example.sources.get("listen.port")?.kind).toBe("file");
});

test("the example file begins by naming the schema for editors, and the schema names every setting", () => {
  const schema = JSON.parse(readFileSync(root("docs/reference/tollgate.schema.json"), "utf8")) as {
    properties: Record<string, { properties?: Record<string, unknown> }>;
  };

  expect(readFileSync(root("tollgate.example.yaml"), "utf8")).toMatch(
    /^# yaml-language-server: \$schema=\.\/docs\/reference\/tollgate\.schema\.json\n/,
  );
  const names = Object.entries(schema.properties).flatMap(([name, { properties }]) =>
    properties ? Object.keys(properties).map((key) => `${name}.${key}`) : [name],
  );
  const { sources } = loadConfig({ environment: {}, readFile: () => "" });
  expect(names).toEqual([...sources.keys()]);
});
