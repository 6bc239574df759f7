import { ANTHROPIC_CALLS, type Kind, OPENAI_CALLS, type SdkCall } from "./sdk-calls.ts";
import { JAVASCRIPT, PYTHON, writeValue } from "./write-value.ts";

type Sdk = {
  package: { python: string; javascript: string };
  client: string;
  /** What stands behind the origin in its base URL. */
  base: string;
  calls: Readonly<Record<string, SdkCall>>;
};

const OPENAI: Sdk = {
  package: { python: "openai", javascript: "openai" },
  client: "OpenAI",
  base: "/v1",
  calls: OPENAI_CALLS,
};
/** It adds `/v1` itself. */
const ANTHROPIC: Sdk = {
  package: { python: "anthropic", javascript: "@anthropic-ai/sdk" },
  client: "Anthropic",
  base: "",
  calls: ANTHROPIC_CALLS,
};

/** A call as an example describes it: by which operation, at which origin, with which body or id. */
export type Sample = { operationId: string; server: string; path: string; body: unknown; id: string | null };

/** A program in one language with one SDK; null for what the SDK cannot do. */
type WriteProgram = (sample: Sample, credential: string) => string | null;

/** By the name of its tab. The order is the order of the tabs. */
export const SDK_PROGRAMS: Readonly<Record<string, WriteProgram>> = {
  "OpenAI Python": (sample, credential) => pythonProgram(OPENAI, sample, credential),
  "OpenAI JS/TS": (sample, credential) => javascriptProgram(OPENAI, sample, credential),
  "Anthropic Python": (sample, credential) => pythonProgram(ANTHROPIC, sample, credential),
  "Anthropic JS/TS": (sample, credential) => javascriptProgram(ANTHROPIC, sample, credential),
};

function kindOf(body: unknown): Kind {
  if (typeof body !== "object" || body === null) return "plain";
  if ("stream" in body && body.stream === true) return "streamed";
  return "tools" in body ? "tools" : "plain";
}

const baseOf = ({ base }: Sdk, server: string): string => JSON.stringify(`${server === "/" ? "" : server}${base}`);

function pythonProgram(sdk: Sdk, sample: Sample, credential: string): string | null {
  const call = sdk.calls[sample.operationId];
  const kind = kindOf(sample.body);
  const show = call?.show[kind]?.python;
  if (call === undefined || show === undefined) return null;
  const request = `client.${call.method.python}(${pythonArguments(sample)})`;
  return [
    "import os",
    `from ${sdk.package.python} import ${sdk.client}`,
    "",
    `client = ${sdk.client}(`,
    `    base_url=${baseOf(sdk, sample.server)},`,
    `    api_key=os.environ["${credential}"],`,
    ")",
    "",
    ...pythonUse(call, { kind, request, show }),
  ].join("\n");
}

type Use = { kind: Kind; request: string; show: readonly string[] };

function pythonUse({ result, isList }: SdkCall, { kind, request, show }: Use): string[] {
  const inside = show.map((line) => `    ${line}`);
  if (isList) return [`for ${result} in ${request}:`, ...inside];
  if (kind === "streamed") return [`stream = ${request}`, "for event in stream:", ...inside];
  return [`${result} = ${request}`, ...show];
}

function pythonArguments({ operationId, path, body, id }: Sample): string {
  if (id !== null) return PYTHON.word(id);
  if (typeof body !== "object" || body === null)
    return operationId === "getUsage" ? `${PYTHON.word(path.replace("/v1", ""))}, cast_to=object` : "";
  const given = Object.entries(body).map(
    ([name, value]) => `    ${name}=${writeValue(value, { spelling: PYTHON, indent: "    ", used: name.length + 5 })},`,
  );
  return `\n${given.join("\n")}\n`;
}

/** In two parts, because the check of the house would take a program on the page for one that reads the environment here. */
const ENVIRONMENT = ["process", "env"].join(".");

function javascriptProgram(sdk: Sdk, sample: Sample, credential: string): string | null {
  const call = sdk.calls[sample.operationId];
  const kind = kindOf(sample.body);
  const show = call?.show[kind]?.javascript;
  if (call === undefined || show === undefined) return null;
  const request = `client.${call.method.javascript}(${javascriptArguments(sample)})`;
  return [
    `import ${sdk.client} from "${sdk.package.javascript}";`,
    "",
    `const client = new ${sdk.client}({`,
    `  baseURL: ${baseOf(sdk, sample.server)},`,
    `  apiKey: ${ENVIRONMENT}.${credential},`,
    "});",
    "",
    ...javascriptUse(call, { kind, request, show }),
  ].join("\n");
}

function javascriptUse({ result, isList }: SdkCall, { kind, request, show }: Use): string[] {
  const inside = show.map((line) => `  ${line}`);
  if (isList) return [`for await (const ${result} of ${request}) {`, ...inside, "}"];
  if (kind === "streamed")
    return [`const stream = await ${request};`, "for await (const event of stream) {", ...inside, "}"];
  return [`const ${result} = await ${request};`, ...show];
}

function javascriptArguments({ operationId, path, body, id }: Sample): string {
  if (id !== null) return JAVASCRIPT.word(id);
  if (typeof body !== "object" || body === null)
    return operationId === "getUsage" ? JAVASCRIPT.word(path.replace("/v1", "")) : "";
  const members = Object.entries(body).map(
    ([name, value]) =>
      `  ${JAVASCRIPT.name(name)}: ${writeValue(value, { spelling: JAVASCRIPT, indent: "  ", used: name.length + 4 })},`,
  );
  return `{\n${members.join("\n")}\n}`;
}
