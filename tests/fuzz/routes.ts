import type { z } from "zod";
import { chatRequestSchema } from "../../src/wire/chat/chat-request.ts";
import { countRequestSchema } from "../../src/wire/messages/count-request.ts";
import { messagesRequestSchema } from "../../src/wire/messages/messages-request.ts";
import { responsesRequestSchema } from "../../src/wire/responses/responses-request.ts";

/** A public operation, as the interface lists it. */
export type FuzzRoute = {
  name: string;
  method: "GET" | "POST";
  path: string;
  format: "A" | "B";
  /** The statuses it lists [spec 4], less those that nothing here can cause: enough money, no rate, a provider that works. */
  statuses: readonly number[];
  schema: z.ZodObject | null;
  model: string;
};

const get = { method: "GET", schema: null, model: "", statuses: [200, 401] } as const;
const post = { method: "POST", statuses: [200, 400, 401, 404] } as const;

export const BODY_ROUTES: readonly FuzzRoute[] = [
  {
    ...post,
    name: "chat",
    path: "/v1/chat/completions",
    format: "A",
    schema: chatRequestSchema,
    model: "echo-chat",
  },
  {
    ...post,
    name: "responses",
    path: "/v1/responses",
    format: "A",
    schema: responsesRequestSchema,
    model: "echo-responses",
  },
  {
    ...post,
    name: "messages",
    path: "/v1/messages",
    format: "B",
    schema: messagesRequestSchema,
    model: "echo-messages",
  },
  {
    ...post,
    name: "count_tokens",
    path: "/v1/messages/count_tokens",
    format: "B",
    schema: countRequestSchema,
    model: "echo-messages",
  },
];

/** The model of the same format whose provider fails. */
export const brokenModel = (model: string): string => model.replace("echo-", "broken-");

export const ROUTES: readonly FuzzRoute[] = [
  ...BODY_ROUTES,
  { ...get, name: "models", path: "/v1/models", format: "A" },
  { ...get, name: "usage", path: "/v1/usage", format: "A" },
];
