import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { BODY_ROUTES } from "./routes.ts";
import type { FuzzStage } from "./stage.ts";

const VERSION = "4.32.5";
const INSTALL_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 900_000;

/**
 * What must hold whatever is sent. Left out: that every wrong body is refused, for unknown fields are carried on purpose, and
 * that every right one is taken, for the document cannot say which models there are.
 */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
];

type Ran = { code: number | null; output: string };

/** A second opinion from a fuzzer that knows only our own description of the interface. */
export type SecondOpinion = { verdict: "passed" | "failed" | "unavailable"; output: string };

export async function askSchemathesis(
  stage: FuzzStage,
  options: { seed: number; examples: number },
): Promise<SecondOpinion> {
  const program = await installed();
  if (program === null) return { verdict: "unavailable", output: `schemathesis ${VERSION} could not be installed` };
  const folder = mkdtempSync(join(tmpdir(), "tollgate-schemathesis-"));
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(await tellingModels(stage)));
  const { code, output } = await run(
    program,
    [
      "run",
      file,
      `--url=${stage.gateway.url}`,
      `--header=Authorization: Bearer ${stage.creditKey}`,
      `--checks=${CHECKS.join(",")}`,
      `--max-examples=${options.examples}`,
      `--seed=${options.seed}`,
      "--phases=examples,coverage,fuzzing",
      "--workers=1",
      "--no-color",
    ],
    RUN_LIMIT_MS,
  );
  rmSync(folder, { recursive: true, force: true });
  return { verdict: code === 0 ? "passed" : "failed", output };
}

type Schema = { properties: Record<string, Record<string, unknown>> };
type Content = Record<string, { schema?: { $ref?: string } }>;
type Operation = {
  requestBody: { content: Content };
  responses: Record<string, { content?: Content }>;
  security: object[];
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

/**
 * The gateway's own document, with the two things that it cannot say of this very gateway and key: which model there is and how
 * much it may answer. Without them nearly everything made from it ends at 404. The bearer token is the one way to show a key,
 * because two at once are refused.
 */
async function tellingModels({ gateway }: FuzzStage): Promise<Document> {
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document;
  for (const { path, model } of BODY_ROUTES) {
    const operation = document.paths[path]?.["post"];
    const name = operation?.requestBody.content["application/json"]?.schema?.$ref?.split("/").at(-1) ?? "";
    const properties = document.components.schemas[name]?.properties;
    if (operation === undefined || properties === undefined) throw new Error(`the document does not describe ${path}`);
    operation.security = operation.security.filter((scheme) => "bearer" in scheme);
    // The document describes a stream as one text; this fuzzer would hold each of its events against that.
    delete operation.responses["200"]?.content?.["text/event-stream"]?.schema;
    properties["model"] = { type: "string", enum: [model] };
    for (const limit of ["max_tokens", "max_output_tokens"]) {
      if (properties[limit]) properties[limit]["maximum"] = 4_096;
    }
  }
  return document;
}

/** The program, from a place that outlives runs; null where there is no Python or no way to packages. */
async function installed(): Promise<string | null> {
  const folder = join(homedir(), ".cache", "tollgate", `schemathesis-${VERSION}`);
  const program = join(folder, "bin", "st");
  if (existsSync(program)) return program;
  const made = await run("python3", ["-m", "venv", folder], INSTALL_LIMIT_MS);
  if (made.code !== 0) return null;
  const pip = ["install", "--quiet", "--disable-pip-version-check", `schemathesis==${VERSION}`];
  const { code } = await run(join(folder, "bin", "pip"), pip, INSTALL_LIMIT_MS);
  return code === 0 ? program : null;
}

async function run(command: string, words: readonly string[], limitMs: number): Promise<Ran> {
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"], timeout: limitMs });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  } catch (error) {
    return { code: null, output: String(error) };
  }
}
