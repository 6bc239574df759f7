/** The page of what providers say when they refuse, from the table that tests read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

type Row = {
  about: string;
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  source: string;
  from?: string;
};

const FILE = join(import.meta.dirname, "../docs/reference/provider-refusals.json");

/** What each means, in the order of the page. */
const KINDS: readonly [about: string, meaning: string, told: string, next: string, counts: string][] = [
  ["request", "the request: moderation, content filters, fields", "400 `invalid_request`", "no", "never"],
  ["too_long", "input beyond the context window", "400 `context_length_exceeded`", "no", "never"],
  ["too_much", "one request above the account's token rate", "400 `invalid_request`", "yes", "never"],
  ["key", "the gateway's credential", "502 `provider_unavailable`", "yes", "every time"],
  [
    "account",
    "quota, billing, region or permission of the account; any 402 or 403 that can't be read",
    "502 `provider_unavailable`",
    "yes",
    "once per payer",
  ],
  ["busy", "429, 503, 529", "502 `provider_unavailable`", "yes", "every time; 429 only rests the route"],
  ["late", "408, 504, 524", "504 `upstream_timeout`; in Format A 502 `upstream_error`", "yes", "once per payer"],
  ["failed", "other statuses from 500, and 424", "502 `upstream_error`", "yes", "every time"],
  ["unknown", "any other status", "502 `upstream_error`", "no", "never"],
];

/** More would hide the table. */
const MOST_SHOWN = 150;

export function refusalsPage(generated: string): string {
  const families = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Row[]>;
  return [
    "# Provider errors",
    "",
    "For operators who ask why a provider's error became 400 or 502, and contributors who add a provider.",
    "",
    generated,
    "",
    "A provider's error is read by its names and words first and by its status second, because providers use statuses differently. What a client's prompt caused is the client's 400,",
    "never counts against the route and is not sent to another route. Why: [decision 0043](../decisions/0043-the-route-is-not-the-client.md).",
    "",
    "| Kind | About | The client gets | Next route | Counts against the route |",
    "|---|---|---|---|---|",
    ...KINDS.map((cells) => `| \`${cells[0]}\` | ${cells.slice(1).join(" | ")} |`),
    "",
    "The same names and words are read in an error event of a stream that began with 200, and in a plain body with status 200. There, only the first three kinds are told apart; any other error ends the",
    "response with `upstream_error`.",
    "",
    "## Examples by provider",
    "",
    "Tests send every example through the gateway's reader in every client format. `recorded`: received from the provider and published; account names are replaced, and long texts shortened. `documented`: on the",
    "provider's page. `made`: put together here, with the words of the link if there is one. The whole bodies are in [provider-refusals.json](provider-refusals.json).",
    ...Object.entries(families).flatMap(([family, rows]) => [
      "",
      `### ${family}`,
      "",
      "| Status | Body | Kind | Source |",
      "|---|---|---|---|",
      ...rows.map(({ status, headers, body, about, source, from }) => {
        const kind = headers?.["x-amzn-errortype"]?.replace(/:.*/, "");
        const text = typeof body === "string" ? body : JSON.stringify(body);
        const shown = text === "" ? "empty" : code(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
        const cells = [status, kind === undefined ? shown : `${shown}, \`${kind}\``, `\`${about}\``];
        return `| ${cells.join(" | ")} | ${from === undefined ? source : `[${source}](${from})`} |`;
      }),
    ]),
    "",
  ].join("\n");
}

const code = (text: string): string => {
  const cell = text.replaceAll("|", "\\|");
  return cell.includes("`") ? `\`\` ${cell} \`\`` : `\`${cell}\``;
};
