import type { ProviderDialect } from "../../core/request/dialect.ts";
import type { Examination } from "../../core/catalogue/probe.ts";
import type { Examine } from "./examination.ts";
import { examineChat } from "./examine-chat.ts";
import { examineConverse } from "./examine-converse.ts";
import { examineGemini } from "./examine-gemini.ts";
import { examineMessages } from "./examine-messages.ts";
import { examineResponses } from "./examine-responses.ts";
import { readSseEvents } from "./sse-events.ts";

const EXAMINERS: Readonly<Record<ProviderDialect, Examine>> = {
  chat: examineChat,
  responses: examineResponses,
  messages: examineMessages,
  gemini: examineGemini,
  converse: examineConverse,
};

/** Holds a whole stream against the rules of its format. */
export const examineStream = (dialect: ProviderDialect, text: string): Examination =>
  EXAMINERS[dialect](readSseEvents(text));
