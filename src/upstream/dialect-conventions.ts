import type { CallConventions, CallHeaders } from "./call-convention.ts";
import { quirksAt } from "./providers.ts";
import type { Target } from "./upstream.ts";

const bearer = (secret: string, { baseUrl }: Target): CallHeaders =>
  quirksAt(baseUrl).credentialHeader === "api-key" ? { "api-key": secret } : { authorization: `Bearer ${secret}` };
const headerKey = (secret: string): CallHeaders => ({ "x-api-key": secret });

export const DIALECT_CONVENTIONS: CallConventions = {
  chat: { path: () => "/chat/completions", credential: bearer },
  responses: { path: () => "/responses", credential: bearer },
  messages: { path: () => "/messages", credential: headerKey, headers: { "anthropic-version": "2023-06-01" } },
};
