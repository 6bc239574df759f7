import { invariant } from "../../src/core/invariant.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";

/** As much of JSON Schema as our own schemas become. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  exclusiveMinimum?: number;
  format?: string;
  pattern?: string;
  examples?: unknown[];
  "x-extensible-enum"?: string[];
};

export type Example = { summary: string; value: unknown };

export type MediaType = {
  schema: JsonSchema;
  examples?: Record<string, Example>;
  /** The JSON object of one event, where every event of a stream has the same shape. */
  "x-event-schema"?: JsonSchema;
};

export type Parameter = {
  name: string;
  in: "header" | "path" | "query";
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: string;
};

export type Header = { description: string; required: boolean; schema: JsonSchema };

export type Reference = { $ref: string };

export type Response = {
  description: string;
  headers: Record<string, Header | Reference>;
  content: Record<string, MediaType>;
};

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** Where it is, when that is not at every server of the document. */
  servers?: { url: string; description: string }[];
  security: Record<string, string[]>[];
  /** Of the admin API: which roles may, and whether a role that holds for some accounts is enough. */
  "x-tollgate-roles"?: readonly string[] | "anyone";
  "x-tollgate-leads"?: boolean;
  parameters?: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response | Reference>;
};

export type Method = "get" | "post" | "patch" | "delete";

export type SecurityScheme = { description: string } & (
  | { type: "http"; scheme: "bearer" }
  | { type: "apiKey"; in: "header" | "cookie"; name: string }
);

/** What is known of a code, and how each format says it. */
export type ErrorCode = {
  code: string;
  condition: string;
  format_a: { status: number; type: string; code: string };
  format_b: { status: number; type: string };
};

type Paths = Record<string, Partial<Record<Method, Operation>>>;

/** What a description of either listener has. */
export type ApiDocument = {
  openapi: "3.1.1";
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Paths;
  /** Operations beyond an interface whose paths are fixed, in the same form. */
  "x-additions"?: Paths;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Response>;
    securitySchemes: Record<string, SecurityScheme>;
  };
};

export type OpenApiDocument = ApiDocument & {
  servers: { "x-key-mode": KeyMode }[];
  "x-error-codes": ErrorCode[];
};

export type AdminDocument = ApiDocument & {
  "x-error-codes": { code: string; condition: string; status: number; type: string }[];
};

type Named<Kind extends "headers" | "parameters" | "responses"> = NonNullable<ApiDocument["components"][Kind]>[string];

/** A part that stands in its place, or what its reference leads to. */
export function resolvePart<Kind extends "headers" | "parameters" | "responses">(
  kind: Kind,
  part: Named<Kind> | Reference,
  { components }: ApiDocument,
): Named<Kind> {
  if (!("$ref" in part)) return part;
  const found = components[kind]?.[part.$ref.replace(`#/components/${kind}/`, "")];
  invariant(found !== undefined, `${part.$ref} leads nowhere`);
  return found as Named<Kind>;
}
