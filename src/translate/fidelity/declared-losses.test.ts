import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../../../tests/support/cases.ts";
import { PAIRS } from "../../../tests/translation/relay-answer.ts";
import { openSeal } from "../../../tests/support/seals.ts";
import { type Marked, requestBody } from "../../../tests/translation/request-bodies.ts";
import { requestOf } from "../../../tests/translation/request-of.ts";
import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { chatClient } from "../chat/sides.ts";
import { messagesClient } from "../messages/sides.ts";
import { responsesClient } from "../responses/sides.ts";
import type { OpenSeal } from "../form/native.ts";
import type { RequestForm } from "../form/request-form.ts";
import { pickTranslator } from "../pick-translator.ts";
import { CLIENT_FIELDS } from "./field-tables.ts";
import { lossesOf } from "./losses.ts";

const RUNS = { numRuns: cases({ gate: 60, long: 600 }) };
/** What is lost there depends on the model. */
const CLAUDE = "us.anthropic.claude-sonnet-4-6";
const crossings = PAIRS.filter(({ route }) => route === "translated").flatMap((pair) => [
  { ...pair, model: "a model", name: "theirs", reasoning: true },
  { ...pair, model: "a model without reasoning", name: "theirs", reasoning: false },
  ...(pair.provider === "converse" ? [{ ...pair, model: "a Claude", name: CLAUDE, reasoning: true }] : []),
]);
const FORMS: Record<ClientDialect, (body: Record<string, unknown>, open: OpenSeal) => RequestForm> = {
  chat: chatClient.form,
  responses: responsesClient.form,
  messages: messagesClient.form,
};

type Crossing = { client: ClientDialect; provider: ProviderDialect; name: string; reasoning: boolean };

/** What a provider is sent for a body, and what the caller is told is lost; null when it is refused instead. */
function cross({ client, provider, name, reasoning }: Crossing, { body }: Marked) {
  const { dropped, refused } = lossesOf(client, provider, body, { reasoning, models: [name], open: openSeal });
  if (refused !== null) return null;
  const { request } = pickTranslator(client, { dialect: provider, conformant: true });
  const told = { upstreamModel: name, maxOutputTokens: null, reasoning };
  const sent = request(requestOf(client, body), told).toString();
  return { sent, lost: dropped.map(({ path }) => path) };
}

/** Losing what says what a thing is, or who sealed it, is losing the thing. */
const SPEAKS_FOR_ITS_OWNER = /\.(type|signature|data|encrypted_content)$/;

function covers(lost: string, path: string): boolean {
  const owner = SPEAKS_FOR_ITS_OWNER.test(lost) ? lost.replace(/\.\w+$/, "") : lost;
  return path === owner || path.startsWith(`${owner}.`);
}

/** A label that one format asks for and the other has no use for; no model is told it. */
const LABELS = new Set(["response_format.json_schema.name", "text.format.name"]);

/** Said by the user instead: declared, though every word of it arrives. */
const SAID_OTHERWISE = new Set(["messages", "input"]);

describe.each(crossings)("a $client request to $model of a $provider provider", (crossing) => {
  test("loses no text but what is declared", () => {
    fc.assert(
      fc.property(requestBody(crossing.client), (marked) => {
        const crossed = cross(crossing, marked);
        if (crossed === null) return;
        const { sent, lost } = crossed;

        const undeclared = marked.marks.filter(
          ({ text, path }) => !sent.includes(text) && !LABELS.has(path) && !lost.some((loss) => covers(loss, path)),
        );
        expect(undeclared).toEqual([]);
      }),
      RUNS,
    );
  });

  test("declares nothing lost that is sent all the same", () => {
    fc.assert(
      fc.property(requestBody(crossing.client), (marked) => {
        const crossed = cross(crossing, marked);
        if (crossed === null) return;
        const { sent, lost } = crossed;

        const mistaken = lost.filter((loss) => {
          const texts = marked.marks.filter(({ path }) => path === loss || path.startsWith(`${loss}.`));
          return !SAID_OTHERWISE.has(loss) && texts.length > 0 && texts.every(({ text }) => sent.includes(text));
        });
        expect(mistaken).toEqual([]);
      }),
      RUNS,
    );
  });

  const { provider } = crossing;
  const readBack = provider === "gemini" || provider === "converse" ? null : FORMS[provider];
  test.skipIf(readBack === null)("can be read back from what the provider is sent, but for what is declared", () => {
    fc.assert(
      fc.property(requestBody(crossing.client), (marked) => {
        const crossed = cross(crossing, marked);
        if (crossed === null || readBack === null) return;
        const { sent, lost } = crossed;

        const asked = meaningOf(FORMS[crossing.client](marked.body, openSeal));
        const arrived = meaningOf(readBack(JSON.parse(sent) as Record<string, unknown>, openSeal));
        for (const [name, paths] of Object.entries(SPOKEN_OF_BY)) {
          if (!paths.some((path) => lost.includes(path))) expect(arrived, name).toHaveProperty(name, asked[name]);
        }
      }),
      RUNS,
    );
  });
});

/** Which rows of the tables speak of each setting. */
const SPOKEN_OF_BY: Readonly<Record<string, readonly string[]>> = {
  toolChoice: ["tool_choice.type", "tools.*.type"],
  parallelCalls: [],
  temperature: ["temperature"],
  topP: ["top_p"],
  stop: ["stop", "stop_sequences"],
  verbosity: ["verbosity", "text.verbosity"],
  effort: ["reasoning_effort", "reasoning", "reasoning.effort", "thinking", "output_config.effort"],
  format: ["response_format.type", "text.format.type"],
  schema: [],
  labels: ["metadata"],
  cacheKey: ["prompt_cache_key"],
  user: [],
  probabilities: ["logprobs", "top_logprobs", "include.*"],
};

/** A form in the terms that all formats share: what is left out is what providers then take it for. */
function meaningOf(form: RequestForm): Record<string, unknown> {
  const { outputFormat, thinking } = form;
  const effort = thinking?.effort ?? "none";
  return {
    toolChoice: form.tools.length === 0 ? { kind: "none" } : (form.toolChoice ?? { kind: "auto" }),
    parallelCalls: form.toolChoice?.kind === "none" || (form.parallelCalls ?? true),
    temperature: form.temperature,
    topP: form.topP,
    stop: form.stop,
    verbosity: form.verbosity,
    effort: effort === "minimal" ? "low" : effort,
    format: outputFormat?.kind ?? "text",
    schema: outputFormat?.kind === "schema" ? outputFormat.schema : null,
    labels: form.labels,
    cacheKey: form.promptCacheKey,
    user: form.user,
    probabilities: form.probabilities,
  };
}

/** In every body, refused before a request gets this far, or tried where its own tests are. */
const ELSEWHERE =
  /^(model|functions|function_call|client_metadata|prompt_cache_retention|web_search_options.*)$|tools\.\*\.(tools|format|defer_loading|filters|allowed_domains|blocked_domains)|input\.\*\.tools|caller|execution/;

test.each(Object.keys(CLIENT_FIELDS) as ClientDialect[])(
  "the bodies of %s speak of every field of its table",
  (client) => {
    const missing = new Set(Object.keys(CLIENT_FIELDS[client]).filter((path) => !ELSEWHERE.test(path)));
    fc.assert(
      fc.property(requestBody(client), ({ body }) => {
        for (const path of missing) if (reaches(body, path.split("."))) missing.delete(path);
      }),
      { numRuns: 1_000 },
    );

    expect([...missing]).toEqual([]);
  },
);

function reaches(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return value !== undefined;
  if (step === "*") return Array.isArray(value) && value.some((item) => reaches(item, rest));
  return isObject(value) && reaches(value[step], rest);
}
