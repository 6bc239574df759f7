import { MESSAGES_KEEP_ALIVE } from "../../wire/messages/messages-stream.ts";
import { MESSAGES_MEMBERS } from "../../wire/messages/members.ts";
import type { ClientSide, ProviderSide } from "../form/sides.ts";
import { formToMessages } from "./form-to-request.ts";
import { createMessagesWriter, wholeMessageAnswer } from "./form-to-answer.ts";
import { createMessagesReader, wholeMessage } from "./answer-to-form.ts";
import { messagesToForm, messagesToolNames } from "./request-to-form.ts";
import { readMessagesGenerated } from "./generated.ts";

export const messagesClient: ClientSide = {
  form: messagesToForm,
  toolNames: messagesToolNames,
  writer: createMessagesWriter,
  whole: wholeMessageAnswer,
  keepAlive: MESSAGES_KEEP_ALIVE,
};

export const messagesProvider: ProviderSide = {
  members: MESSAGES_MEMBERS,
  ordinaryPrice: { service_tier: "standard_only" },
  request: formToMessages,
  reader: createMessagesReader,
  generated: readMessagesGenerated,
  whole: wholeMessage,
};
