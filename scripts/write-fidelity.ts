/**
 * Writes the matrix of what each format's fields become at providers of the other formats, from the tables the code goes by. With
 * `--check` nothing is written: it fails when the page no longer agrees with the code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientDialect, PROVIDER_DIALECTS, type ProviderDialect } from "../src/core/dialect.ts";
import type { Fate, FieldRow } from "../src/translate/fidelity/field-row.ts";
import { CLIENT_FIELDS, fieldTable } from "../src/translate/fidelity/field-tables.ts";

const PAGE = "docs/reference/fidelity.md";
const DIALECTS = Object.keys(CLIENT_FIELDS) as ClientDialect[];
const SIGNS: Record<Fate, string> = { kept: "=", translated: "≈", lost: "lost", refused: "400" };
const TITLES: Record<ProviderDialect, string> = {
  chat: "Chat completions",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
};

/** What an answer has, which no table decides: it is what the readers and writers of `src/translate/<dialect>` do. */
const PARTS = [
  "text",
  "call of a tool",
  "thinking",
  "signature, encrypted thoughts",
  "refusal",
  "ended by itself",
  "met a stop sequence",
  "reached the limit",
  "wants a tool called",
  "refused",
  "cached input",
  "tier it was served on",
  "searches the provider ran",
  "other output of tools the provider ran",
  "citations of addresses",
  "citations of places in documents",
  "log probabilities",
] as const;

/** Where each format has it. */
const ANSWERS: Record<ProviderDialect, Record<(typeof PARTS)[number], string>> = {
  chat: {
    text: "`content`",
    "call of a tool": "`tool_calls`, numbered from 0",
    thinking: "`reasoning_content`",
    "signature, encrypted thoughts": "`reasoning_details`",
    refusal: "`refusal`",
    "ended by itself": "`stop`",
    "met a stop sequence": "`stop`",
    "reached the limit": "`length`",
    "wants a tool called": "`tool_calls`",
    refused: "`content_filter`",
    "cached input": "within `prompt_tokens`",
    "tier it was served on": "`service_tier`",
    "searches the provider ran": "–",
    "other output of tools the provider ran": "–",
    "citations of addresses": "`annotations`",
    "citations of places in documents": "–",
    "log probabilities": "`logprobs`",
  },
  responses: {
    text: "`output_text` part, one item per block",
    "call of a tool": "`function_call` item, or the one of its tool",
    thinking: "`summary` of a `reasoning` item",
    "signature, encrypted thoughts": "`encrypted_content`",
    refusal: "`refusal` part",
    "ended by itself": "`completed`",
    "met a stop sequence": "`completed`",
    "reached the limit": "`incomplete`, `max_output_tokens`",
    "wants a tool called": "`completed`",
    refused: "`incomplete`, `content_filter`",
    "cached input": "within `input_tokens`",
    "tier it was served on": "`service_tier`",
    "searches the provider ran": "–",
    "other output of tools the provider ran": "–",
    "citations of addresses": "`annotations`",
    "citations of places in documents": "–",
    "log probabilities": "`logprobs`",
  },
  messages: {
    text: "`text` block",
    "call of a tool": "`tool_use` block",
    thinking: "`thinking` block",
    "signature, encrypted thoughts": "`signature`",
    refusal: "`text` block",
    "ended by itself": "`end_turn`",
    "met a stop sequence": "`stop_sequence`",
    "reached the limit": "`max_tokens`",
    "wants a tool called": "`tool_use`",
    refused: "`refusal`",
    "cached input": "beside `input_tokens`",
    "tier it was served on": "`usage.service_tier`",
    "searches the provider ran": "`usage.server_tool_use`",
    "other output of tools the provider ran": "–",
    "citations of addresses": "`citations`, as search results",
    "citations of places in documents": "only at providers of its own",
    "log probabilities": "–",
  },
  gemini: {
    text: "part with `text`",
    "call of a tool": "part with `functionCall`, whole or in pieces",
    thinking: "part with `thought`",
    "signature, encrypted thoughts": "`thoughtSignature` of a part, save one after the last words of a stream",
    refusal: "`finishMessage`",
    "ended by itself": "`STOP`",
    "met a stop sequence": "`STOP`",
    "reached the limit": "`MAX_TOKENS`",
    "wants a tool called": "`STOP`",
    refused: "`SAFETY` and its like, or `promptFeedback` alone",
    "cached input": "within `promptTokenCount`; thoughts beside `candidatesTokenCount`",
    "tier it was served on": "–",
    "searches the provider ran": "–",
    "other output of tools the provider ran": "–",
    "citations of addresses": "–",
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
  "A caller may speak one format and a model's provider another. Where a route speaks the caller's own format, that route is taken",
  "and nothing is touched but what [how money works](../explain/how-money-works.md) needs: the answer carries",
  "`x-tollgate-fidelity: exact`. Where none does, or none of them answers, the request is translated for the format on whose routes it",
  "loses least, and the answer says what was lost on the way it took: `x-tollgate-fidelity: translated; dropped=seed,messages.*.name`.",
  "Fields that are not listed here are lost and named, in the body and in its messages, parts of content and tools.",
  "",
  "Thinking that a provider of another format gave can come back when a model has moved to one of the caller's own format. That one",
  "would refuse what it never signed, so it is left out and declared: `exact; dropped=messages.*.content.*.signature`. Where a",
  "`thinking` budget would then be refused too, amid calls of tools, it is left out as well and named.",
  "",
  "A request that carries `x-tollgate-fidelity: strict` takes only ways on which nothing is lost; where a model has none, it is refused",
  "with 400, and `param` names the first field that would be lost. Charges are made from the provider's own usage, never from translated figures.",
  "",
  "In the tables `=` is said in the same terms, `≈` in the other format's terms, `lost` left out and declared, and `400` refused,",
  "since an answer to what is left would be an answer to something else. A row with a condition speaks of those values alone.",
  "What official clients make of it, pair by pair and case by case, is in [crossings](crossings.md).",
  ...DIALECTS.flatMap((dialect) => requestTable(dialect)),
  "",
  "## Answers",
  "",
  "The same in plain and in streamed answers, for both are made of the same events.",
  "",
  `| What | ${PROVIDER_DIALECTS.map((dialect) => TITLES[dialect]).join(" | ")} |`,
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
    `| Field | ${providers.map((dialect) => `${dialect} provider`).join(" | ")} | |`,
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
