import type { ProviderDialect } from "../core/request/dialect.ts";
import { chat } from "./chat/chat.ts";
import { converse } from "./converse/converse.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini/gemini.ts";
import { messages } from "./messages/messages.ts";
import { responses } from "./responses/responses.ts";

/** Every dialect the simulator speaks. Widening the key to another provider dialect does not compile until it has a row. */
export const DIALECTS: Record<ProviderDialect, Dialect> = { chat, responses, messages, gemini, converse };
