import { KEY_MODES, type KeyMode, ORIGIN_PREFIX } from "../../src/core/people/key-mode.ts";
import { answerComponents, usageComponents } from "./answer-components.ts";
import { referenceTo, writeSchemas } from "./component.ts";
import type { MediaType, OpenApiDocument, Operation, Response, SecurityScheme } from "./document.ts";
import { holderComponents } from "./holder/holder-components.ts";
import { HOLDER_OPERATIONS } from "./holder/holder-operations.ts";
import { holderRecordComponents } from "./holder/holder-record-components.ts";
import { ID_HEADERS, PARAMETERS, SHARED_HEADERS } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { type OperationFacts, OPERATIONS, TAGS } from "./operations.ts";
import { describeRefusals, listErrorCodes } from "./refusals.ts";
import { requestComponents } from "./request-components.ts";

/** The version of the interface, not of the program. [spec 9] */
const VERSION = "1.0.0";

const SECURITY_SCHEMES: Record<string, SecurityScheme> = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "`Authorization: Bearer <key>`, accepted by every operation.",
  },
  headerKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "`x-api-key: <key>`, accepted by messages, token counts, the model endpoints and `/me`.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "tollgate_key",
    description:
      "The cookie that `POST /me/session` sets, accepted below `/me` only. Scripts can't read it. With https it is called `__Host-tollgate_key`.",
  },
};

const SECURITY: Record<OperationFacts["credential"], Operation["security"]> = {
  none: [],
  session: [{ session: [] }],
  session_or_key: [{ session: [] }, { bearer: [] }, { headerKey: [] }],
  optional: [{}, { bearer: [] }, { headerKey: [] }],
  bearer: [{ bearer: [] }],
  bearer_or_header: [{ bearer: [] }, { headerKey: [] }],
};

const SERVER_WORDS: Record<KeyMode, string> = { credit: "Credit keys", token_budget: "Token-budget keys" };

/** The OpenAPI document for clients at this base URL; without one, its server URLs are relative to the document. */
export function createOpenApiDocument(publicUrl: string): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Tollgate API",
      version: VERSION,
      summary: "OpenAI-compatible and Anthropic-compatible model gateway with exact, prepaid charging.",
      description: INTRODUCTION,
    },
    servers: KEY_MODES.map((mode) => ({
      url: `${publicUrl}${ORIGIN_PREFIX[mode]}` || "/",
      description: SERVER_WORDS[mode],
      "x-key-mode": mode,
    })),
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(
      OPERATIONS.filter(({ isAddition }) => !isAddition),
      publicUrl,
    ),
    "x-additions": pathsOf([...OPERATIONS.filter(({ isAddition }) => isAddition), ...HOLDER_OPERATIONS], publicUrl),
    components: {
      schemas: writeSchemas({
        ...requestComponents,
        ...answerComponents,
        ...usageComponents,
        ...holderComponents,
        ...holderRecordComponents,
      }),
      headers: SHARED_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
    "x-error-codes": listErrorCodes(),
  };
}

function pathsOf(operations: readonly OperationFacts[], publicUrl: string): OpenApiDocument["paths"] {
  const paths: OpenApiDocument["paths"] = {};
  for (const facts of operations)
    paths[facts.path] = { ...paths[facts.path], [facts.method]: describe(facts, publicUrl) };
  return paths;
}

function describe(facts: OperationFacts, publicUrl: string): Operation {
  const { operationId, tag, summary, description, credential, parameters, request, format, codes } = facts;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(facts.isForEveryMode && { servers: [{ url: publicUrl || "/", description: "Keys of every kind" }] }),
    security: SECURITY[credential],
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((name) => PARAMETERS[name]) }),
    ...(request === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: referenceTo(request.schema), examples: request.examples } },
          },
        }),
    responses: { [facts.answer.status ?? "200"]: describeAnswer(facts), ...describeRefusals(format, codes) },
  };
}

function describeAnswer({ answer, stream }: OperationFacts): Response {
  if (answer.schema === null) {
    const { about, file } = answer;
    const headers = { ...ID_HEADERS, ...answer.headers };
    const csv = { schema: { type: "string" }, examples: { file: { summary: "Its first row", value: file } } } as const;
    return { description: about, headers, content: file === undefined ? {} : { "text/csv": csv } };
  }
  const content: Record<string, MediaType> = {
    "application/json": {
      schema: referenceTo(answer.schema),
      examples: { answer: { summary: answer.about, value: answer.example } },
    },
  };
  if (stream !== null) {
    content["text/event-stream"] = {
      schema: { type: "string", description: stream.about },
      examples: { stream: { summary: "A shortened stream", value: stream.example } },
      ...(stream.event === null ? {} : { "x-event-schema": referenceTo(stream.event) }),
    };
  }
  return { description: answer.about, headers: { ...ID_HEADERS, ...answer.headers }, content };
}
