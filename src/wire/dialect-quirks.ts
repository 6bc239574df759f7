import type { ChatQuirks } from "./chat/chat-quirks.ts";
import type { MessagesQuirks } from "./messages/messages-quirks.ts";
import type { ResponsesQuirks } from "./responses/responses-quirks.ts";

/** Where a provider differs from others that speak the same format. Formats that all speak alike have none. */
export type DialectQuirks = { chat: ChatQuirks; responses: ResponsesQuirks; messages: MessagesQuirks };
