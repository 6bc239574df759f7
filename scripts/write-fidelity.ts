/**
 * Writes the matrix of what each format's fields become at providers of the other formats, from the tables the code goes by. With
 * `--check` nothing is written: it fails when the page no longer agrees with the code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientDialect, PROVIDER_DIALECTS, type ProviderDialect } from "../src/core/request/dialect.ts";
import type { Fate, FieldRow } from "../src/translate/fidelity/field-row.ts";
import { CLIENT_FIELDS, fieldTable } from "../src/translate/fidelity/field-tables.ts";

const PAGE = "docs/reference/fidelity.md";
const DIALECTS = Object.keys(CLIENT_FIELDS) as ClientDialect[];
const SIGNS: Record<Fate, string> = { kept: "=", translated: "≈", lost: "dropped", refused: "400" };
const TITLES: Record<ProviderDialect, string> = {
  chat: "Chat completions",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
  converse: "Bedrock Converse",
};

/** What an answer has, which no table decides: it is what the readers and writers of `src/translate/<dialect>` do. */
const PARTS = [
  "text",
  "tool call",
  "reasoning",
  "signature, encrypted reasoning",
  "refusal",
  "end: finished",
  "end: stop sequence",
  "end: output limit",
  "end: tool call",
  "end: refused",
  "cached input",
  "service tier",
  "provider-run searches",
  "other output of provider-run tools",
  "citations of URLs",
  "citations of places in documents",
  "log probabilities",
] as const;

/** Where each format has it. */
const ANSWERS: Record<ProviderDialect, Record<(typeof PARTS)[number], string>> = {
  chat: {
    text: "`content`",
    "tool call": "`tool_calls`, numbered from 0",
    reasoning: "`reasoning_content`",
    "signature, encrypted reasoning": "`reasoning_details`",
    refusal: "`refusal`",
    "end: finished": "`stop`",
    "end: stop sequence": "`stop`",
    "end: output limit": "`length`",
    "end: tool call": "`tool_calls`",
    "end: refused": "`content_filter`",
    "cached input": "included in `prompt_tokens`",
    "service tier": "`service_tier`",
    "provider-run searches": "–",
    "other output of provider-run tools": "–",
    "citations of URLs": "`annotations`",
    "citations of places in documents": "–",
    "log probabilities": "`logprobs`",
  },
  responses: {
    text: "`output_text` part, one item per block",
    "tool call": "`function_call` item, or the item type of its tool",
    reasoning: "`summary` of a `reasoning` item",
    "signature, encrypted reasoning": "`encrypted_content`",
    refusal: "`refusal` part",
    "end: finished": "`completed`",
    "end: stop sequence": "`completed`",
    "end: output limit": "`incomplete`, `max_output_tokens`",
    "end: tool call": "`completed`",
    "end: refused": "`incomplete`, `content_filter`",
    "cached input": "included in `input_tokens`",
    "service tier": "`service_tier`",
    "provider-run searches": "–",
    "other output of provider-run tools": "–",
    "citations of URLs": "`annotations`",
    "citations of places in documents": "–",
    "log probabilities": "`logprobs`",
  },
  messages: {
    text: "`text` block",
    "tool call": "`tool_use` block",
    reasoning: "`thinking` block",
    "signature, encrypted reasoning": "`signature`",
    refusal: "`text` block",
    "end: finished": "`end_turn`",
    "end: stop sequence": "`stop_sequence`",
    "end: output limit": "`max_tokens`",
    "end: tool call": "`tool_use`",
    "end: refused": "`refusal`",
    "cached input": "not included in `input_tokens`",
    "service tier": "`usage.service_tier`",
    "provider-run searches": "`usage.server_tool_use`",
    "other output of provider-run tools": "–",
    "citations of URLs": "`citations`, as search results",
    "citations of places in documents": "only at providers of this format",
    "log probabilities": "–",
  },
  gemini: {
    text: "part with `text`",
    "tool call": "part with `functionCall`, in one or several pieces",
    reasoning: "part with `thought`",
    "signature, encrypted reasoning": "`thoughtSignature` of a part, except one after the last text of a stream",
    refusal: "`finishMessage`",
    "end: finished": "`STOP`",
    "end: stop sequence": "`STOP`",
    "end: output limit": "`MAX_TOKENS`",
    "end: tool call": "`STOP`",
    "end: refused": "`SAFETY` and similar reasons, or only `promptFeedback`",
    "cached input": "included in `promptTokenCount`; reasoning is not in `candidatesTokenCount`",
    "service tier": "–",
    "provider-run searches": "–",
    "other output of provider-run tools": "–",
    "citations of URLs": "`groundingChunks`",
    "citations of places in documents": "–",
    "log probabilities": "–",
  },
  converse: {
    text: "`text` block",
    "tool call": "`toolUse` block",
    reasoning: "`reasoningContent` block",
    "signature, encrypted reasoning": "`signature`, `redactedContent`",
    refusal: "`text` block",
    "end: finished": "`end_turn`",
    "end: stop sequence": "`stop_sequence`",
    "end: output limit": "`max_tokens`, `model_context_window_exceeded`",
    "end: tool call": "`tool_use`",
    "end: refused": "`content_filtered`, `guardrail_intervened`",
    "cached input": "not included in `inputTokens`, except in streams of OpenAI models",
    "service tier": "`serviceTier`",
    "provider-run searches": "–",
    "other output of provider-run tools": "–",
    "citations of URLs": "–",
    "citations of places in documents": "–",
    "log probabilities": "–",
  },
};

const page = [
  "# Fidelity",
  "",
  "For key holders who ask which fields a translated request loses.",
  "",
  "<!-- Written by scripts/write-fidelity.ts. Edit the code it is written from. -->",
  "",
  "A client may use one format and a model's provider another. If a route uses the client's own format, the gateway takes that route and",
  "changes only what [how money works](../explain/how-money-works.md) needs. The response then has `x-tollgate-fidelity: exact`. If there",
  "is no such route, or none responds, the gateway translates the request for the format that loses the least. The response names the",
  "dropped fields: `x-tollgate-fidelity: translated; dropped=seed,messages.*.name`. Fields not listed here are dropped and named, in the",
  "body and in its messages, content parts and tools.",
  "",
  "After a model has moved to a provider of the client's own format, a conversation may still contain reasoning of a provider of another",
  "format. The new provider would reject a signature it never made, so the gateway drops the reasoning and declares it:",
  "`exact; dropped=messages.*.content.*.signature`. If the provider would then reject a `thinking` budget too, between tool calls, the",
  "gateway drops and names it as well.",
  "",
  "Providers store nothing for clients (`store: false`), so they cannot find a reasoning item of a Responses request by its id. Such an item",
  "without `encrypted_content` or readable `content` is dropped on every route: `exact; dropped=input.*`.",
  "",
  "A request with `x-tollgate-fidelity: strict` uses only routes that drop nothing. If the model has none, the request gets 400, and `param`",
  "names the first field that would be dropped. Charges always use the provider's own usage, never translated numbers.",
  "",
  "| In the tables | Meaning |",
  "|---|---|",
  "| `=` | sent unchanged |",
  "| `≈` | sent in the other format's terms |",
  "| `dropped` | not sent, and declared in `x-tollgate-fidelity` |",
  "| `400` | rejected, because the answer would answer a different question |",
  "",
  "A row with a condition applies only to those values. [Crossings](crossings.md) shows what official clients receive, by pair and case.",
  ...DIALECTS.flatMap((dialect) => requestTable(dialect)),
  "",
  "## Answers",
  "",
  "Where each format puts the parts of an answer. Plain and streamed answers are the same, because both come from the same events.",
  "",
  `| Part | ${PROVIDER_DIALECTS.map((dialect) => TITLES[dialect]).join(" | ")} |`,
  `|${"---|".repeat(PROVIDER_DIALECTS.length + 1)}`,
  ...PARTS.map((part) => `| ${[part, ...PROVIDER_DIALECTS.map((dialect) => ANSWERS[dialect][part])].join(" | ")} |`),
  "",
].join("\n");

/** One line for a field, then one for each kind of its values that fares otherwise at a provider of some format. */
function requestTable(client: ClientDialect): string[] {
  const providers = PROVIDER_DIALECTS.filter((dialect) => dialect !== client);
  const rows = new Map<ProviderDialect, readonly FieldRow[]>(
    providers.map((provider) => [provider, fieldTable(client, provider)]),
  );
  const lines = Object.keys(CLIENT_FIELDS[client]).flatMap((path) => {
    const at = (provider: ProviderDialect, words: string | undefined): FieldRow | undefined =>
      rows.get(provider)?.find((row) => row.path === path && row.only?.words === words);
    const conditions = new Set(
      providers.flatMap((provider) =>
        (rows.get(provider) ?? []).filter((row) => row.path === path).map(({ only }) => only?.words),
      ),
    );
    return [...conditions].map((words) => {
      const answers = providers.map((provider) => at(provider, words));
      return [
        `\`${path}\`${words === undefined ? "" : `, ${words}`}`,
        ...providers.map((provider) => SIGNS[(at(provider, words) ?? at(provider, undefined))?.fate ?? "kept"]),
        noteOf(providers, answers),
      ];
    });
  });
  return [
    "",
    `## ${TITLES[client]} requests`,
    "",
    `| Field | ${providers.map((dialect) => `${dialect} provider`).join(" | ")} | Note |`,
    `|${"---|".repeat(providers.length + 2)}`,
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
  ];
}

/** What is said of all is said once; what is said of some names them. */
function noteOf(providers: readonly ProviderDialect[], answers: readonly (FieldRow | undefined)[]): string {
  const notes = new Set(answers.flatMap((answer) => answer?.note ?? []));
  return [...notes]
    .map((note) => {
      const sayers = providers.filter((_, index) => answers[index]?.note === note);
      return answers.every((answer) => answer === undefined || answer.note === note)
        ? note
        : `${sayers.join(", ")}: ${note}`;
    })
    .join(" ");
}

const path = join(import.meta.dirname, "..", PAGE);
if (!process.argv.includes("--check")) {
  writeFileSync(path, page);
  console.log(`wrote ${PAGE}`);
} else if (readFileSync(path, "utf8") !== page) {
  console.error(`${PAGE} is not what scripts/write-fidelity.ts writes; run it.`);
  process.exit(1);
}
