import { type Client, CLIENTS, type How, PROVIDERS } from "./crossing-client.ts";
import type { Pair } from "./crossing-stage.ts";

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
      const tables = CLIENTS.map((client) => ({
        client,
        rows: Object.entries(titles).map(([name, title]) => [
          title,
          ...PROVIDERS.map((provider) => cellOf(seen.get(nameOf({ client, provider }, name)) ?? {})),
        ]),
      }));
      const isWhole = tables.every(({ rows }) => !rows.flat().includes(""));
      return isWhole ? [...INTRODUCTION, ...tables.flatMap(tableOf), ""].join("\n") : null;
    },
  };
}

function cellOf({ plain, streamed }: Seen): string {
  if (plain === undefined || streamed === undefined) return "";
  return plain === streamed ? plain : `plain ${plain}, streamed ${streamed}`;
}

type Table = { client: Client; rows: readonly (readonly string[])[] };

const tableOf = ({ client, rows }: Table): string[] => [
  "",
  `## ${TITLES[client]} clients`,
  "",
  `| | ${PROVIDERS.map((provider) => `${client} → ${provider}`).join(" | ")} |`,
  `|${"---|".repeat(PROVIDERS.length + 1)}`,
  ...rows.map((cells) => `| ${cells.join(" | ")} |`),
];

const TITLES: Record<Client, string> = { chat: "Chat completions", responses: "Responses", messages: "Messages" };

const INTRODUCTION = [
  "# Crossings, as seen",
  "",
  "For contributors who ask what each client receives from a provider of another format.",
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
