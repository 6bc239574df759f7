import type { ProviderDialect } from "../core/dialect.ts";
import { quirksAt } from "./providers.ts";
import type { Target } from "./upstream.ts";

type Headers = Readonly<Record<string, string>>;

/** Whether an answer comes whole or as a stream, which some dialects say in the path. */
export type Operation = "whole" | "streamed";

/** How calls of one dialect are made. */
type Address = {
  /** What comes after the base URL. */
  path: (operation: Operation, upstreamModel: string) => string;
  credential: (secret: string, target: Target) => Headers;
  /** What every call of this dialect needs, whatever the caller said. */
  headers?: Headers;
};

const bearer = (secret: string, { baseUrl }: Target): Headers =>
  quirksAt(baseUrl).credentialHeader === "api-key" ? { "api-key": secret } : { authorization: `Bearer ${secret}` };
const headerKey = (secret: string): Headers => ({ "x-api-key": secret });

/** A dialect without a row cannot be called, so its routes are left out of every plan. */
export const ADDRESSES: Partial<Record<ProviderDialect, Address>> = {
  chat: { path: () => "/chat/completions", credential: bearer },
  responses: { path: () => "/responses", credential: bearer },
  messages: { path: () => "/messages", credential: headerKey, headers: { "anthropic-version": "2023-06-01" } },
};
