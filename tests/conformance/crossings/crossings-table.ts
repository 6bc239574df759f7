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
  "# Crossings",
  "",
  "For contributors who ask what each client receives from a provider of another format.",
  "",
  "<!-- Written by scripts/write-crossings.ts from a run of tests/conformance/crossings. -->",
  "",
  "The tests run each format's official client against a provider of each format, plain and with the client's stream helper. They check",
  "the answer as the client parsed it, the request as the provider received it, the tokens and credits charged, and the value of",
  "`x-tollgate-fidelity`. They fail when this page differs from what they observe.",
  "",
  "- ✓: the provider received it, and the client received the answer. A value after ✓ is the finish reason in the client's format.",
  "- `dropped`: the fields that `x-tollgate-fidelity` declared as dropped; the provider did not receive them.",
  "- *unread*: the reasoning had no readable text, only the data that the provider expects back.",
  "",
  "[Fidelity](fidelity.md) lists every field.",
];
