import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";

/** Google reads a body into a message of its own and refuses every name that it has no field for. */
type Names = { [name: string]: Names | "any" | "self" };

const PART: Names = {
  text: "any",
  thought: "any",
  thoughtSignature: "any",
  inlineData: { mimeType: "any", data: "any", displayName: "any" },
  functionCall: { id: "any", name: "any", args: "any" },
  functionResponse: {
    id: "any",
    name: "any",
    response: "any",
    parts: { inlineData: { mimeType: "any", data: "any", displayName: "any" } },
    willContinue: "any",
    scheduling: "any",
  },
};

const CONTENT: Names = { role: "any", parts: PART };

/** The subset of OpenAPI 3.0; a JSON Schema of any kind has fields of its own. `properties` is a map of more of these. */
const SCHEMA: Names = {
  type: "any",
  format: "any",
  title: "any",
  description: "any",
  nullable: "any",
  enum: "any",
  maxItems: "any",
  minItems: "any",
  properties: "any",
  required: "any",
  minProperties: "any",
  maxProperties: "any",
  minLength: "any",
  maxLength: "any",
  pattern: "any",
  example: "any",
  anyOf: "self",
  propertyOrdering: "any",
  default: "any",
  items: "self",
  minimum: "any",
  maximum: "any",
};

const REQUEST: Names = {
  contents: CONTENT,
  systemInstruction: CONTENT,
  tools: {
    googleSearch: { timeRangeFilter: "any", searchTypes: "any" },
    functionDeclarations: {
      name: "any",
      description: "any",
      parameters: SCHEMA,
      parametersJsonSchema: "any",
      response: SCHEMA,
      responseJsonSchema: "any",
      behavior: "any",
    },
  },
  toolConfig: { functionCallingConfig: { mode: "any", allowedFunctionNames: "any" } },
  safetySettings: { category: "any", threshold: "any" },
  serviceTier: "any",
  generationConfig: {
    stopSequences: "any",
    responseMimeType: "any",
    responseSchema: SCHEMA,
    responseJsonSchema: "any",
    responseModalities: "any",
    candidateCount: "any",
    maxOutputTokens: "any",
    temperature: "any",
    topP: "any",
    topK: "any",
    seed: "any",
    presencePenalty: "any",
    frequencyPenalty: "any",
    responseLogprobs: "any",
    logprobs: "any",
    thinkingConfig: { includeThoughts: "any", thinkingBudget: "any", thinkingLevel: "any" },
  },
};

export function checkNames(body: JsonObject): void {
  check(body, REQUEST, "");
}

function check(value: unknown, names: Names, at: string): void {
  if (Array.isArray(value)) return value.forEach((each, index) => check(each, names, `${at}[${index}]`));
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    const place = at === "" ? snakeCase(name) : `${at}.${snakeCase(name)}`;
    if (known === undefined) throw unknownName(name, at);
    if (names === SCHEMA && name === "properties") checkMap(member, place);
    else if (known !== "any") check(member, known === "self" ? names : known, place);
  }
}

function checkMap(properties: unknown, at: string): void {
  if (!isObject(properties)) return;
  for (const [index, member] of Object.values(properties).entries()) check(member, SCHEMA, `${at}[${index}].value`);
}

function unknownName(name: string, at: string): Error {
  const place = at === "" ? "" : ` at '${at}'`;
  return invalid(`Invalid JSON payload received. Unknown name "${name.slice(0, 64)}"${place}: Cannot find field.`, at);
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
