import { follow } from "./check-schema.ts";

/** As much of the description as its readers here need. */
type Paths = Record<string, Record<string, DescribedOperation>>;

export type Description = {
  openapi: string;
  info: { version: string; description: string };
  servers: { url: string; "x-key-mode": string }[];
  paths: Paths;
  "x-additions": Paths;
  components: { schemas: Record<string, object> };
  "x-error-codes": { code: string; format_a: { status: number }; format_b: { status: number } }[];
};

export type DescribedOperation = {
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, DescribedBody> };
  responses: Record<string, DescribedResponse>;
};

export type DescribedBody = {
  schema: object;
  examples?: Record<string, { summary: string; value: unknown }>;
  "x-event-schema"?: object;
};

export type DescribedResponse = {
  description: string;
  headers: Record<string, { required?: boolean; schema?: object; $ref?: string }>;
  content: Record<string, DescribedBody>;
};

export type Place = { method: string; path: string; operation: DescribedOperation };

export const operationsOf = ({ paths, "x-additions": additions }: Description): Place[] =>
  Object.entries({ ...paths, ...additions }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

/** The headers of a response, references followed. */
export const headersOf = (
  { headers }: DescribedResponse,
  description: Description,
): Record<string, { required: boolean; schema: object }> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name,
      (header.$ref === undefined ? header : follow(header.$ref, description)) as { required: boolean; schema: object },
    ]),
  );
