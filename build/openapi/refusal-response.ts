import { referenceTo } from "./component.ts";
import type { Header, Reference, Response } from "./document.ts";
import { RETRY_HEADERS } from "./headers.ts";

/** A refusal as it is sent, and when. */
export type RefusalExample<Body = unknown> = {
  code: string;
  condition: string;
  status: number;
  headers: Record<string, string>;
  body: Body;
};

type Around = { schema: string; headers: Record<string, Header | Reference> };

/** The response that carries one of these, which have one status. Which headers it has is what rendering them yields. */
export function refusalResponse(refusals: readonly RefusalExample[], { schema, headers }: Around): Response {
  const examples = refusals.map(({ code, condition, body }) => [code, { summary: condition, value: body }]);
  return {
    description: refusals.map(({ code, condition }) => `- \`${code}\`: ${condition}`).join("\n"),
    headers: { ...headers, ...retryHeadersOf(refusals) },
    content: { "application/json": { schema: referenceTo(schema), examples: Object.fromEntries(examples) } },
  };
}

function retryHeadersOf(refusals: readonly RefusalExample[]): Record<string, Header> {
  const headers: Record<string, Header> = {};
  for (const [name, header] of Object.entries(RETRY_HEADERS)) {
    const carrying = refusals.filter((refusal) => name in refusal.headers).length;
    if (carrying > 0) headers[name] = { ...header, required: carrying === refusals.length };
  }
  return headers;
}
