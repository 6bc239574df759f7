import type { CallConventions, CallHeaders } from "./call-convention.ts";
import { quirksAt } from "./providers.ts";
import type { Route } from "../core/route.ts";

const bearer = (secret: string, { baseUrl }: Route): CallHeaders =>
  quirksAt(baseUrl).credentialHeader === "api-key" ? { "api-key": secret } : { authorization: `Bearer ${secret}` };
const headerKey = (secret: string): CallHeaders => ({ "x-api-key": secret });

export const DIALECT_CONVENTIONS: CallConventions = {
  chat: { path: () => "/chat/completions", credential: bearer },
  responses: { path: () => "/responses", credential: bearer },
  messages: { path: () => "/messages", credential: headerKey, headers: { "anthropic-version": "2023-06-01" } },
};
