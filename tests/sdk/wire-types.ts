import type { ErrorResponse } from "@anthropic-ai/sdk/resources/shared";
import type { Message, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import type { ErrorObject } from "openai/resources/shared";

/** What the official clients say that a server sends, in their own types. The schemas of the tests are made of this file. */
export type WireTypes = OpenAiTypes & AnthropicTypes;

/** Apart, because both SDKs have types of the same names. */
export type OpenAiTypes = {
  chatEvent: ChatCompletionChunk;
  chatAnswer: ChatCompletion;
  responsesEvent: ResponseStreamEvent;
  responsesAnswer: Response;
  formatAError: { error: ErrorObject };
};

export type AnthropicTypes = {
  messagesEvent: RawMessageStreamEvent;
  messagesAnswer: Message;
  formatBError: ErrorResponse;
};
