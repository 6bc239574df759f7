import type { MessageCountTokensParams, MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import type {
  MessageCountTokensParams as BetaCountTokensParams,
  MessageCreateParams as BetaMessageCreateParams,
} from "@anthropic-ai/sdk/resources/beta/messages";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import type { ResponseCreateParams } from "openai/resources/responses/responses";

/** What the official clients can be asked to send, in their own types, those in beta included. */
export type RequestTypes = {
  chat: ChatCompletionCreateParams;
  responses: ResponseCreateParams;
  messages: MessageCreateParams | BetaMessageCreateParams | MessageCountTokensParams | BetaCountTokensParams;
};
