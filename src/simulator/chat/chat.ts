import { isObject } from "../../core/bytes/is-object.ts";
import { answerChat, DONE, encodeChat } from "./chat-answer.ts";
import { checkChat } from "./check-chat.ts";
import { chatToolNames, checkToolNames } from "../ask/check-tool-names.ts";
import { answerEmbeddings } from "../embeddings/answer-embeddings.ts";
import { readEmbeddings } from "../embeddings/read-embeddings.ts";
import type { Ask, Dialect, JsonObject } from "../dialect.ts";
import { listModels } from "../ask/model-list.ts";
import { refuseLikeOpenai } from "../ask/openai-errors.ts";
import { readCount, readMessages, readModel, readSchema, readStop, readStreamed } from "../ask/read-field.ts";

export const chat: Dialect = {
  name: "chat",
  folder: "chat-completions",
  credentialHeaders: ["authorization"],
  requestIdHeader: "x-request-id",
  read,
  embed: { read: readEmbeddings, answer: answerEmbeddings },
  models: (_named, headers) => listModels("anthropic-version" in headers ? "anthropic" : "openai"),
  encode: encodeChat,
  answer: answerChat,
  refuse: refuseLikeOpenai,
  frame: (data) => `data: ${data}\n\n`,
  terminator: DONE,
};

function read(body: JsonObject): Ask {
  const { stream_options: options, response_format: format } = body;
  const messages = readMessages(body);
  checkToolNames(chatToolNames(body), 64);
  checkChat(messages);
  const given = isObject(format) ? format["json_schema"] : undefined;
  return {
    model: readModel(body),
    streamed: readStreamed(body),
    limitTokens: readCount(body, "max_completion_tokens") ?? readCount(body, "max_tokens"),
    choices: readCount(body, "n", 128) ?? 1,
    streamUsage: isObject(options) && options["include_usage"] === true,
    prompt: [messages, body["tools"]],
    stop: readStop(body, "stop"),
    schema: readSchema(format, isObject(given) ? given["schema"] : undefined),
    body,
  };
}
