import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { invariant } from "../../core/invariant.ts";
import { CHAT_FIELDS } from "./chat/fields.ts";
import { MESSAGES_TO_CHAT } from "./chat/from-messages.ts";
import { RESPONSES_TO_CHAT } from "./chat/from-responses.ts";
import { CHAT_TO_CONVERSE } from "./converse/from-chat.ts";
import { MESSAGES_TO_CONVERSE } from "./converse/from-messages.ts";
import { RESPONSES_TO_CONVERSE } from "./converse/from-responses.ts";
import { type ClientFields, type FieldRow, isAt, rowsOf } from "./field-row.ts";
import { CHAT_TO_GEMINI } from "./gemini/from-chat.ts";
import { MESSAGES_TO_GEMINI } from "./gemini/from-messages.ts";
import { RESPONSES_TO_GEMINI } from "./gemini/from-responses.ts";
import { MESSAGES_FIELDS } from "./messages/fields.ts";
import { CHAT_TO_MESSAGES } from "./messages/from-chat.ts";
import { RESPONSES_TO_MESSAGES } from "./messages/from-responses.ts";
import { RESPONSES_FIELDS } from "./responses/fields.ts";
import { CHAT_TO_RESPONSES } from "./responses/from-chat.ts";
import { MESSAGES_TO_RESPONSES } from "./responses/from-messages.ts";

/** The fields of each client format, in the order in which losses are named. */
export const CLIENT_FIELDS: Record<ClientDialect, ClientFields> = {
  chat: CHAT_FIELDS,
  responses: RESPONSES_FIELDS,
  messages: MESSAGES_FIELDS,
};

type FieldTables = {
  [Provider in ProviderDialect]: { [Client in Exclude<ClientDialect, Provider>]: readonly FieldRow[] };
};

/** By a provider's format: what becomes there of a request in each other format. A new format adds an entry here. */
const FIELD_TABLES: FieldTables = {
  chat: {
    responses: rowsOf(RESPONSES_FIELDS, RESPONSES_TO_CHAT),
    messages: rowsOf(MESSAGES_FIELDS, MESSAGES_TO_CHAT),
  },
  responses: {
    chat: rowsOf(CHAT_FIELDS, CHAT_TO_RESPONSES),
    messages: rowsOf(MESSAGES_FIELDS, MESSAGES_TO_RESPONSES),
  },
  messages: {
    chat: rowsOf(CHAT_FIELDS, CHAT_TO_MESSAGES),
    responses: rowsOf(RESPONSES_FIELDS, RESPONSES_TO_MESSAGES),
  },
  gemini: {
    chat: rowsOf(CHAT_FIELDS, CHAT_TO_GEMINI),
    responses: rowsOf(RESPONSES_FIELDS, RESPONSES_TO_GEMINI),
    messages: rowsOf(MESSAGES_FIELDS, MESSAGES_TO_GEMINI),
  },
  converse: {
    chat: rowsOf(CHAT_FIELDS, CHAT_TO_CONVERSE),
    responses: rowsOf(RESPONSES_FIELDS, RESPONSES_TO_CONVERSE),
    messages: rowsOf(MESSAGES_FIELDS, MESSAGES_TO_CONVERSE),
  },
};

/** The same, each with the rows that speak of its provider. */
const TABLES = Object.fromEntries(
  Object.entries(FIELD_TABLES).map(([provider, tables]) => [
    provider,
    Object.fromEntries(
      Object.entries(tables).map(([client, rows]) => [
        client,
        rows.filter((row) => isAt(row, provider as ProviderDialect)),
      ]),
    ),
  ]),
) as unknown as Record<ProviderDialect, Partial<Record<ClientDialect, readonly FieldRow[]>>>;

/** What becomes of a request of one format at providers of another. */
export function fieldTable(client: ClientDialect, provider: ProviderDialect): readonly FieldRow[] {
  const tables: Partial<Record<ClientDialect, readonly FieldRow[]>> = TABLES[provider];
  const table = tables[client];
  invariant(table, `losses of ${client} at its own providers`);
  return table;
}
