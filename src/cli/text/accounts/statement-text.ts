import type { StatementJson } from "../../../contract/usage.ts";
import { csv } from "../../../wire/csv.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts, table } from "../table.ts";

/** What the account had, what came in and went out, and by which keys and models. */
export function statementText(statement: StatementJson, screen: Screen = PLAIN): string {
  const { account, month, opening, closing, running, fundings, lines, refunds } = statement;
  const title = `${account.title}, ${month}${running ? " (not over)" : ""}`;
  const known = [
    ...(opening === null ? [] : [["opening", opening] as const]),
    ["funded", statement.funded] as const,
    ["charged", statement.charged] as const,
    ["refunded", statement.refunded] as const,
    ...(closing === null ? [] : [["closing", closing] as const]),
  ];
  const listings = [
    fundings.length === 0
      ? null
      : table(
          ["PAID", "KIND", ">CREDITS", "REFERENCE", "BY"],
          fundings.map((it) => [it.at, it.kind, it.amount, it.reference, it.actor]),
          { screen },
        ),
    lines.length === 0
      ? "No requests in this month."
      : table(
          ["KEY", "MODEL", ">CREDITS", ">TOKENS", ">REQUESTS", ">INPUT TOKENS", ">OUTPUT TOKENS"],
          lines.map((it) => [
            it.key,
            it.model,
            it.credits,
            it.tokens,
            String(it.requests),
            String(it.input_tokens),
            String(it.output_tokens),
          ]),
          { screen },
        ),
    refunds.length === 0
      ? null
      : table(
          ["REFUNDED", "REQUEST", ">CREDITS", ">TOKENS", "REFERENCE", "BY"],
          refunds.map((it) => [it.at, it.request_id, it.credits ?? "-", it.tokens ?? "-", it.reference, it.actor]),
          { screen },
        ),
  ].filter((listing) => listing !== null);
  const more = leftOff(statement);
  return [facts(title, known, screen), ...listings, ...(more === null ? [] : [more])].join("\n\n");
}

/** What the tables do not show; the sums have it. */
function leftOff({ more }: StatementJson): string | null {
  const kinds = (["fundings", "lines", "refunds"] as const).filter((kind) => more[kind] > 0);
  if (kinds.length === 0) return null;
  const words = kinds.map((kind) => `${more[kind]} more ${kind}`).join(", ");
  return `Not listed: ${words}. The sums include them. For the rest ask for an account below.`;
}

const COLUMNS = [
  "kind",
  "at",
  "key_id",
  "key",
  "model",
  "credits",
  "tokens",
  "requests",
  "input_tokens",
  "output_tokens",
  "reference",
];

/** Everything of a month as one list: what it opened with, what was paid in, charged and refunded, and what it closed with. */
export function statementCsv({ opening, closing, fundings, lines, refunds }: StatementJson): string {
  const balance = (kind: string, credits: string | null) =>
    credits === null ? [] : [[kind, null, null, null, null, credits, null, null, null, null, null]];
  return csv([
    COLUMNS,
    ...balance("opening", opening),
    ...fundings.map((it) => [it.kind, it.at, null, null, null, it.amount, null, null, null, null, it.reference]),
    ...lines.map((it) => [
      "charged",
      null,
      it.key_id,
      it.key,
      it.model,
      it.credits === "0" ? "0" : `-${it.credits}`,
      it.tokens,
      it.requests,
      it.input_tokens,
      it.output_tokens,
      null,
    ]),
    ...refunds.map((it) => [
      "refund",
      it.at,
      it.key_id,
      null,
      null,
      it.credits,
      it.tokens,
      null,
      null,
      null,
      it.reference,
    ]),
    ...balance("closing", closing),
  ]);
}
