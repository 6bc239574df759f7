import { CHAT_KEEP_ALIVE } from "../../wire/chat/chat-stream.ts";
import { CHAT_MEMBERS } from "../../wire/chat/members.ts";
import type { ClientSide, ProviderSide } from "../form/sides.ts";
import { createChatReader, wholeChatAnswer } from "./answer-to-form.ts";
import { chatToForm, chatToolNames } from "./request-to-form.ts";
import { formToChat } from "./form-to-request.ts";
import { createChatWriter, wholeChatCompletion } from "./form-to-answer.ts";
import { readChatGenerated } from "./generated.ts";

export const chatClient: ClientSide = {
  form: chatToForm,
  toolNames: chatToolNames,
  writer: createChatWriter,
  whole: wholeChatCompletion,
  keepAlive: CHAT_KEEP_ALIVE,
};

export const chatProvider: ProviderSide = {
  members: CHAT_MEMBERS,
  ordinaryPrice: {},
  request: formToChat,
  reader: createChatReader,
  generated: readChatGenerated,
  whole: wholeChatAnswer,
};
