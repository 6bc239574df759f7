import type { KeyMode } from "../core/key-mode.ts";

/** As much of JSON Schema as our own schemas become. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
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
  in: "header" | "path";
  required: boolean;
  description: string;
  schema: JsonSchema;
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
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: true; content: Record<string, MediaType> };
  responses: Record<string, Response>;
};

export type SecurityScheme = { description: string } & (
  | { type: "http"; scheme: "bearer" }
  | { type: "apiKey"; in: "header"; name: string }
);

/** What is known of a code, and how each format says it. */
export type ErrorCode = {
  code: string;
  condition: string;
  format_a: { status: number; type: string; code: string };
  format_b: { status: number; type: string };
};

export type OpenApiDocument = {
  openapi: "3.1.1";
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string; description: string; "x-key-mode": KeyMode }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<"get" | "post", Operation>>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, SecurityScheme>;
  };
  "x-error-codes": ErrorCode[];
};
