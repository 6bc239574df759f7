import type { Dialect, How } from "./crossing-client.ts";
import { type Pair, PAIRS } from "./crossing-stage.ts";

type Seen = Partial<Record<How, string>>;

/** Collects what a run has seen of each pair and case, and writes it down. */
export function createCrossingsTable(titles: Record<string, string>) {
  const seen = new Map<string, Seen>();
  const nameOf = ({ client, provider }: Pair, name: string): string => `${client} ${provider} ${name}`;

  return {
    note: (pair: Pair, name: string, how: How, cell: string): void => {
      seen.set(nameOf(pair, name), { ...seen.get(nameOf(pair, name)), [how]: cell });
    },
    /** Null while something has not been seen. */
    page: (): string | null => {
      const rows = PAIRS.map((pair) => Object.keys(titles).map((name) => cellOf(seen.get(nameOf(pair, name)) ?? {})));
      return rows.flat().includes("") ? null : pageOf(Object.values(titles), rows);
    },
  };
}

function cellOf({ plain, streamed }: Seen): string {
  if (plain === undefined || streamed === undefined) return "";
  return plain === streamed ? plain : `plain ${plain}, streamed ${streamed}`;
}

function pageOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const heads = PAIRS.map(({ client, provider }) => `${client} → ${provider}`);
  const blocks = [0, 3, 6].flatMap((first) => [
    "",
    `## ${TITLES[PAIRS[first]?.client ?? "chat"]} clients`,
    "",
    `| | ${heads.slice(first, first + 3).join(" | ")} |`,
    "|---|---|---|---|",
    ...titles.map(
      (title, index) => `| ${[title, ...rows.slice(first, first + 3).map((row) => row[index])].join(" | ")} |`,
    ),
  ]);
  return [...INTRODUCTION, ...blocks, ""].join("\n");
}

const TITLES: Record<Dialect, string> = { chat: "Chat completions", responses: "Responses", messages: "Messages" };

const INTRODUCTION = [
  "# Crossings, as seen",
  "",
  "<!-- Written by scripts/write-crossings.ts from a run of tests/conformance/crossings. -->",
  "",
  "Each format's official client against a provider of each format, plain and through the client's stream helper. Nothing stands",
  "here that a run of the tests has not seen: the answer as the client understood it, the request as the provider received it, the",
  "tokens and the credit that were charged, and what `x-tollgate-fidelity` declared. The tests fail when this page is not what they see.",
  "",
  "✓ it arrived, and so did the answer. `lost` names the fields that the answer declared lost; the provider was not told them. Words",
  "behind a ✓ are how the client was told of the end, in its own format; thoughts that came *unread* had no text, only what the",
  "provider wants back. [Fidelity](fidelity.md) lists every field.",
];
