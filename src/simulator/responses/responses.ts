import { isObject } from "../../core/bytes/is-object.ts";
import { checkResponses } from "./check-responses.ts";
import { checkToolNames, responsesToolNames } from "../ask/check-tool-names.ts";
import type { Ask, Dialect, JsonObject } from "../dialect.ts";
import { refuseLikeOpenai } from "../ask/openai-errors.ts";
import { readCount, readModel, readSchema, readStreamed } from "../ask/read-field.ts";
import { invalid } from "../ask/refusal.ts";
import { answerResponse, encodeResponse } from "./response-answer.ts";
import { frameByType } from "../send/sse-frame.ts";

export const responses: Dialect = {
  name: "responses",
  folder: "responses",
  credentialHeaders: ["authorization"],
  requestIdHeader: "x-request-id",
  read,
  encode: encodeResponse,
  answer: answerResponse,
  refuse: refuseLikeOpenai,
  frame: frameByType,
  terminator: null,
};

function read(body: JsonObject): Ask {
  const { input, text } = body;
  if (typeof input !== "string" && !Array.isArray(input))
    throw invalid("input: a string or an array is required", "input");
  checkToolNames(responsesToolNames(body), 64);
  if (typeof input !== "string") checkResponses(input, body["store"]);
  const format = isObject(text) ? text["format"] : undefined;
  return {
    model: readModel(body),
    streamed: readStreamed(body),
    limitTokens: readCount(body, "max_output_tokens"),
    choices: 1,
    streamUsage: true,
    prompt: [body["instructions"], input, body["tools"]],
    stop: [],
    schema: readSchema(format, isObject(format) ? format["schema"] : undefined),
    body,
  };
}
