import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type JsonSchema, tellApart } from "./json-schema.ts";
import type { WireTypes } from "./wire-types.ts";

export type WireName = keyof WireTypes;

/** What is wrong with a value as one of the official clients' types; nothing when the list is empty. */
export type WireValidator = (name: WireName, value: unknown) => string[];

export function createWireValidator(schemas: readonly JsonSchema[]): WireValidator {
  const validators = new Map<string, ValidateFunction>();
  for (const schema of schemas) {
    // Formats and the like are annotations here; a type says nothing of them.
    const ajv = new Ajv({ strict: false, allErrors: true, discriminator: true });
    ajv.addSchema(tellApart(schema), "sdk");
    const types = schema.$ref?.slice("#/definitions/".length) ?? "";
    for (const name of Object.keys(schema.definitions?.[types]?.properties ?? {})) {
      validators.set(name, ajv.compile({ $ref: `sdk#/definitions/${types}/properties/${name}` }));
    }
  }
  return (name, value) => {
    const validate = validators.get(name);
    if (validate === undefined) throw new Error(`no schema of ${name}`);
    return validate(value) ? [] : (validate.errors ?? []).map(wordsOf);
  };
}

/** Without the places in lists, so that the same fault is the same words wherever it stands. */
function wordsOf({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath.replaceAll(/\/\d+(?=\/|$)/g, "/*").slice(1);
  const tag: unknown = params["tagValue"];
  return `${place || "."} ${message}${typeof tag === "string" ? ` (${tag})` : ""}`;
}
