import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Installation, type Installed, installOnce } from "../support/install-once.ts";
import { installPackages, load } from "../support/npm-packages.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The generator reads types with a compiler of its own, which is older than the project's. */
const GENERATOR = { "ts-json-schema-generator": "2.9.0", typescript: "5.9.3" };
const TYPE_NAMES = ["OpenAiTypes", "AnthropicTypes"];
const SDKS = ["openai", "@anthropic-ai/sdk"];
const ROOT = join(import.meta.dirname, "../..");
const TYPES = join(import.meta.dirname, "wire-types.ts");
const COMPILER_OPTIONS = {
  strict: true,
  target: "es2024",
  module: "nodenext",
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** As much of the generator as is used here. */
type Generator = {
  createGenerator: (config: Record<string, unknown>) => { createSchema: (type: string) => JsonSchema };
};

/** The schemas of `WireTypes`, one of each SDK, or why they cannot be had. */
export type SdkSchemas = { schemas: JsonSchema[]; missing: null } | { schemas: null; missing: string };

/** Made once per version of an SDK and kept in the cache, for it takes seconds and a tool from outside. */
export async function sdkSchemas(): Promise<SdkSchemas> {
  const generator = await installPackages("schema-generator", GENERATOR);
  if (generator.folder === null) return { schemas: null, missing: generator.missing };
  return keptSchemas(async (folder) => generate(generator, folder));
}

/** Those that have been made before, for tests that fetch nothing. */
export function cachedSdkSchemas(): Promise<SdkSchemas> {
  return keptSchemas(async () => {
    throw new Error("they are not in the cache; the conformance suite puts them there");
  });
}

async function keptSchemas(install: Installation["install"]): Promise<SdkSchemas> {
  const { folder, missing } = await installOnce({
    name: "sdk-schemas",
    contents: [GENERATOR, SDKS.map(versionOf), COMPILER_OPTIONS, readFileSync(TYPES, "utf8")],
    install,
  });
  if (folder === null) return { schemas: null, missing };
  return { schemas: JSON.parse(readFileSync(join(folder, "schemas.json"), "utf8")) as JsonSchema[], missing: null };
}

function generate(installed: Installed, folder: string): void {
  const tsconfig = join(folder, "tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [TYPES] }));
  const { createGenerator } = load<Generator>(installed, "ts-json-schema-generator");
  // Providers add members every week; a member that an SDK does not know yet is no fault.
  const generator = createGenerator({ path: TYPES, tsconfig, additionalProperties: true, skipTypeCheck: true });
  writeFileSync(join(folder, "schemas.json"), JSON.stringify(TYPE_NAMES.map((name) => generator.createSchema(name))));
}

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")) as {
    version: string;
  };
  return `${name} ${version}`;
}
