import type { CallConventions, CallHeaders } from "./call-convention.ts";
import { converseConvention } from "./converse/converse-convention.ts";
import { geminiConvention } from "./gemini/gemini-convention.ts";
import type { Quirks } from "./providers.ts";

const bearer = (secret: string, { credentialHeader }: Quirks): CallHeaders =>
  credentialHeader === "api-key" ? { "api-key": secret } : { authorization: `Bearer ${secret}` };
const headerKey = (secret: string): CallHeaders => ({ "x-api-key": secret });

export const DIALECT_CONVENTIONS: CallConventions = {
  chat: { path: () => "/chat/completions", credential: bearer },
  responses: { path: () => "/responses", credential: bearer },
  messages: { path: () => "/messages", credential: headerKey, headers: { "anthropic-version": "2023-06-01" } },
  gemini: geminiConvention,
  converse: converseConvention,
  embeddings: { path: () => "/embeddings", credential: bearer },
};
