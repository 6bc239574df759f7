import { isObject } from "../../core/bytes/is-object.ts";
import type { Ask, Dialect, JsonObject, Named } from "../dialect.ts";
import { readCount, readStop } from "../ask/read-field.ts";
import { invalid } from "../ask/refusal.ts";
import { checkContents, contentsOf } from "./check-contents.ts";
import { checkNames } from "./check-names.ts";
import { checkTools } from "./check-tools.ts";
import { answerGemini, encodeGemini } from "./gemini-answer.ts";
import { refuseLikeGoogle } from "./gemini-errors.ts";
import { listGeminiModels } from "./gemini-models.ts";
import { frameGemini } from "./gemini-frame.ts";
import { plainSchema } from "./plain-schema.ts";

const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH"];
const MOST_STOP_SEQUENCES = 5;

export const gemini: Dialect = {
  name: "gemini",
  folder: "gemini",
  credentialHeaders: ["x-goog-api-key"],
  credentialQuery: "key",
  requestIdHeader: "x-goog-request-id",
  retryIn: "body",
  read,
  count: {
    read: readCountAsk,
    answer: (totalTokens) => ({ totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }] }),
  },
  models: listGeminiModels,
  encode: encodeGemini,
  answer: answerGemini,
  refuse: refuseLikeGoogle,
  frame: frameGemini,
  terminator: null,
};

function read(body: JsonObject, named?: Named): Ask {
  checkNames(body);
  const config = objectAt(body, "generationConfig");
  const contents = contentsOf(body);
  checkContents(contents);
  checkTools(body);
  checkConfig(config);
  return {
    model: named?.model ?? "",
    streamed: named?.streamed ?? false,
    limitTokens: readCount(config, "maxOutputTokens"),
    choices: 1,
    streamUsage: true,
    prompt: [body["systemInstruction"], contents, body["tools"]],
    stop: readStop(config, "stopSequences"),
    schema: schemaOf(config),
    body,
  };
}

/** A count takes the contents alone, or all of the request they would be sent in. */
function readCountAsk(body: JsonObject, named?: Named): Ask {
  const { generateContentRequest: whole, contents } = body;
  if (!isObject(whole)) return read({ contents }, named);
  if (contents !== undefined) throw invalid("Only one of contents and generateContentRequest may be set.");
  const { model: _model, ...request } = whole;
  return read(request, named);
}

function checkConfig(config: JsonObject): void {
  if ((readCount(config, "candidateCount") ?? 1) > 1)
    throw invalid("Multiple candidates is not enabled for this model", "generation_config.candidate_count");
  if (readStop(config, "stopSequences").length > MOST_STOP_SEQUENCES)
    throw invalid(
      `Only up to ${MOST_STOP_SEQUENCES} stop sequences are supported.`,
      "generation_config.stop_sequences",
    );
  const { thinkingBudget: budget, thinkingLevel: level } = objectAt(config, "thinkingConfig");
  if (budget !== undefined && level !== undefined)
    throw invalid("You can only set only one of thinking budget and thinking level.");
  if (level !== undefined && !(typeof level === "string" && LEVELS.includes(level.toUpperCase())))
    throw invalid(`Invalid value at 'generation_config.thinking_config.thinking_level': ${JSON.stringify(level)}`);
  if (budget !== undefined && !(Number.isInteger(budget) && Number(budget) >= -1))
    throw invalid(`The thinking budget ${JSON.stringify(budget)} is invalid.`);
}

function schemaOf(config: JsonObject): JsonObject | null {
  const { responseMimeType: type, responseSchema: openApi, responseJsonSchema: schema } = config;
  if (openApi !== undefined && schema !== undefined)
    throw invalid("Only one of response_schema and response_json_schema may be set.");
  if (type !== "application/json") {
    if (openApi === undefined && schema === undefined) return null;
    throw invalid("A schema is only supported with response_mime_type application/json.");
  }
  if (isObject(schema)) return schema;
  return isObject(openApi) ? plainSchema(openApi) : { type: "object", properties: { text: { type: "string" } } };
}

const objectAt = (body: JsonObject, field: string): JsonObject => {
  const value = body[field];
  return isObject(value) ? value : {};
};
