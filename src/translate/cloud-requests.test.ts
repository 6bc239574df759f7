import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../tests/support/cases.ts";
import { requestBody } from "../../tests/translation/request-bodies.ts";
import { requestOf } from "../../tests/translation/request-of.ts";
import { Fault } from "../core/fault.ts";
import type { ClientDialect } from "../core/request/dialect.ts";
import type { GenerationRequest } from "../wire/generation-request.ts";
import type { MessagesCloud } from "../wire/messages/messages-quirks.ts";
import { lossesOf } from "./fidelity/losses.ts";
import { pickTranslator } from "./pick-translator.ts";

type Json = Record<string, unknown>;

const BETAS = "advanced-tool-use-2025-11-20,compact-2026-01-12,fast-mode-2026-02-01";
const CLIENTS: readonly ClientDialect[] = ["chat", "responses", "messages"];
const CLOUDS: readonly MessagesCloud[] = ["bedrock", "vertex"];
const PLACES = CLOUDS.flatMap((cloud) => CLIENTS.map((client) => ({ cloud, client })));
/** By the pages of each cloud. */
const KNOWN: Record<MessagesCloud, RegExp> = {
  bedrock:
    /^(anthropic_(version|beta)|max_tokens|messages|system|stop_sequences|temperature|top_[pk]|tools|tool_choice|thinking|metadata|output_config|context_management)$/,
  vertex:
    /^(anthropic_version|stream|max_tokens|messages|system|stop_sequences|temperature|top_[pk]|tools|tool_choice|thinking|metadata|output_config|context_management)$/,
};

const asked = (client: ClientDialect, body: Json): GenerationRequest => {
  const request = requestOf(client, body);
  return client === "messages" ? { ...request, forwardedHeaders: { "anthropic-beta": BETAS } } : request;
};

const written = (request: GenerationRequest, client: ClientDialect, cloud: MessagesCloud | null): Json => {
  const translator = pickTranslator(client, { dialect: "messages", conformant: true });
  const told = { upstreamModel: "theirs", maxOutputTokens: 5, quirks: { messages: { cloud } } };
  return JSON.parse(translator.request(request, told).toString()) as Json;
};

test.each(PLACES)(
  "whatever a client of $client asks, $cloud is told nothing that it does not know",
  ({ cloud, client }) => {
    fc.assert(
      fc.property(requestBody(client), ({ body }) => {
        fc.pre(client === "messages" || lossesOf(client, "messages", body).refused === null);
        const request = read(() => asked(client, body));
        fc.pre(request !== null);
        const plain = written(request, client, null);
        const told = written(request, client, cloud);

        expect(Object.keys(told).filter((name) => !KNOWN[cloud].test(name))).toEqual([]);
        expect(told["anthropic_version"]).toMatch(`${cloud}-20`);
        expect(JSON.stringify(told)).not.toMatch(/"scope":"(?:global|organization)"|fast-mode/);
        // The conversation itself is what it would have been anywhere.
        expect([told["max_tokens"], told["messages"], told["thinking"]]).toEqual([
          plain["max_tokens"],
          plain["messages"],
          plain["thinking"],
        ]);
      }),
      { numRuns: cases({ gate: 60, long: 2_000 }) },
    );
  },
);

function read(request: () => GenerationRequest): GenerationRequest | null {
  try {
    return request();
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
