import { isObject } from "../../core/bytes/is-object.ts";
import type { Ask, Dialect, JsonObject, Named } from "../dialect.ts";
import { readCount, readStop } from "../ask/read-field.ts";
import { invalid } from "../ask/refusal.ts";
import { checkText, kindOf } from "./check-blocks.ts";
import { checkConfig, objectAt } from "./check-config.ts";
import { checkCachePoints, checkMessages, messagesIn } from "./check-messages.ts";
import { checkTools } from "./check-tools.ts";
import { answerConverse, encodeConverse } from "./converse-answer.ts";
import { errorHeaders, refuseLikeAmazon } from "./converse-errors.ts";
import { frameRecorded, inFrames } from "./converse-frames.ts";

export const converse: Dialect = {
  name: "converse",
  folder: "bedrock-converse",
  credentialHeaders: ["authorization"],
  takesSignatures: true,
  requestIdHeader: "x-amzn-requestid",
  read,
  encode: encodeConverse,
  answer: answerConverse,
  refuse: refuseLikeAmazon,
  refusalHeaders: errorHeaders,
  framing: inFrames,
  frame: frameRecorded,
  terminator: null,
};

function read(body: JsonObject, named?: Named): Ask {
  const config = objectAt(body, "inferenceConfig");
  const messages = messagesIn(body);
  const system = systemIn(body);
  checkMessages(messages);
  const tools = checkTools(body, messages);
  checkCachePoints([tools, system, ...messages.map(({ content }) => content)]);
  checkConfig(body, config);
  return {
    model: named?.model ?? "",
    streamed: named?.streamed ?? false,
    limitTokens: readCount(config, "maxTokens"),
    choices: 1,
    streamUsage: true,
    prompt: [body["system"], messages, body["toolConfig"]],
    stop: readStop(config, "stopSequences"),
    schema: schemaOf(objectAt(objectAt(body, "outputConfig"), "textFormat")),
    body,
  };
}

function systemIn({ system = [] }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(system)) throw invalid("system: must be a list", "system");
  const blocks = system.filter((block) => isObject(block));
  for (const [place, block] of blocks.entries())
    if (kindOf(block, `system.${place}`, ["text", "cachePoint"]) === "text")
      checkText(block["text"], `system.${place}`);
  return blocks;
}

function schemaOf(format: JsonObject): JsonObject | null {
  if (format["type"] === undefined) return null;
  const { schema } = objectAt(objectAt(format, "structure"), "jsonSchema");
  if (format["type"] !== "json_schema" || typeof schema !== "string")
    throw invalid("outputConfig.textFormat: the schema must be a string of JSON.", "outputConfig");
  return JSON.parse(schema) as JsonObject;
}
