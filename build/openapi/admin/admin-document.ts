import { referenceTo, writeSchemas } from "../component.ts";
import type { AdminDocument, JsonSchema, Operation, Parameter, Response } from "../document.ts";
import { SHARED_HEADERS } from "../headers.ts";
import { ADMIN_INTRODUCTION } from "./admin-introduction.ts";
import type { AdminOperation } from "./admin-operation.ts";
import { describeParameters, nameSharedParameters } from "./admin-parameters.ts";
import {
  ADMIN_HEADERS,
  adminErrorComponents,
  ANYWHERE,
  describeAdminRefusals,
  listAdminErrorCodes,
  refusalsOf,
  WITH_CREDENTIAL,
} from "./admin-refusals.ts";
import { type AdminSchemas, writeAdminSchemas, writeSchema } from "./admin-schemas.ts";
import { exampleOf } from "./example-of.ts";
import { REQUEST_EXAMPLES } from "./schema-words.ts";

/** The version of the admin API, not of the program. */
const VERSION = "1.0.0";

type Described = { operations: readonly AdminOperation[]; tags: Readonly<Record<string, string>> };

/** The admin API for machines, relative to where the description is found. */
export function createAdminDocument({ operations, tags }: Described): AdminDocument {
  const bodies = writeAdminSchemas(operations);
  const shared = nameSharedParameters(operations);
  const paths: AdminDocument["paths"] = {};
  for (const facts of operations)
    paths[facts.path] = { ...paths[facts.path], [facts.method.toLowerCase()]: describe(facts, { bodies, shared }) };
  return {
    openapi: "3.1.1",
    info: {
      title: "Tollgate admin API",
      version: VERSION,
      summary: "Operate a running gateway: keys, balances, providers, models, prices, health.",
      description: ADMIN_INTRODUCTION,
    },
    servers: [{ url: "/", description: "The admin listener" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...bodies.schemas, ...writeSchemas(adminErrorComponents) },
      headers: SHARED_HEADERS,
      parameters: Object.fromEntries([...shared.values()].map(({ name, parameter }) => [name, parameter])),
      responses: describeAdminRefusals(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <token>`, with the automation token or a personal token.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "tollgate_session",
          description: "The cookie of POST /admin/v1/session; behind https its name is `__Host-tollgate_session`.",
        },
      },
    },
    "x-error-codes": listAdminErrorCodes(),
  };
}

type Around = { bodies: AdminSchemas; shared: ReadonlyMap<string, { name: string; parameter: Parameter }> };

function describe(facts: AdminOperation, { bodies, shared }: Around): Operation {
  const { id, tag, summary, description, credential, refusals, roles, leads } = facts;
  const parameters = describeParameters(facts).map((parameter) => {
    const known = shared.get(JSON.stringify(parameter));
    return known === undefined ? parameter : { $ref: `#/components/parameters/${known.name}` };
  });
  const answers = describeAnswers(facts, bodies);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: credential === "none" ? [{}] : [{ bearer: [] }, { session: [] }],
    ...(credential === "none" ? {} : { "x-tollgate-roles": roles ?? [], "x-tollgate-leads": leads }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...describeRequest(facts, bodies),
    responses: { ...refusalsOf([...(credential === "none" ? ANYWHERE : WITH_CREDENTIAL), ...refusals]), ...answers },
  };
}

const JSON_MEDIA = "application/json";

function describeRequest({ id, body, bodyNeeded }: AdminOperation, { nameOf, schemas }: AdminSchemas) {
  if (body === null) return {};
  const schema = referenceTo(nameOf(body));
  const value = REQUEST_EXAMPLES[id] ?? exampleOf(schema, { schemas, side: "request" });
  const content = { [JSON_MEDIA]: { schema, examples: { request: { summary: "Request", value } } } };
  return { requestBody: { required: bodyNeeded, content } };
}

function describeAnswers(
  { answers, media }: AdminOperation,
  { nameOf, schemas }: AdminSchemas,
): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const name = nameOf(answer);
      const schema: JsonSchema = media === JSON_MEDIA ? referenceTo(name) : writeSchema(answer);
      const value = exampleOf(schema, { schemas, side: "answer" });
      const description = schemas[name]?.description ?? answer.description ?? "";
      const examples = { answer: { summary: "Response", value } };
      return [status, { description, headers: ADMIN_HEADERS, content: { [media]: { schema, examples } } }];
    }),
  );
}
