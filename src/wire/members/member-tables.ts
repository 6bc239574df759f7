import type { CallFormat } from "../../core/request/dialect.ts";
import { CHAT_MEMBERS } from "../chat/members.ts";
import { EMBEDDINGS_MEMBERS } from "../embeddings/members.ts";
import { MESSAGES_MEMBERS } from "../messages/members.ts";
import { RESPONSES_MEMBERS } from "../responses/members.ts";
import type { Shape } from "./shape.ts";

/** What is known of the requests of every format, and what of them no provider is sent. */
export const MEMBERS: Record<CallFormat, Shape> = {
  chat: CHAT_MEMBERS,
  responses: RESPONSES_MEMBERS,
  messages: MESSAGES_MEMBERS,
  embeddings: EMBEDDINGS_MEMBERS,
};
