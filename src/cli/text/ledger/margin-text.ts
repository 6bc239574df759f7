import type { MarginsJson } from "../../../contract/costs.ts";
import { shareOf, usdText } from "../../../core/bills/margin-text.ts";
import { csv } from "../../../wire/csv.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

type Margin = MarginsJson["total"];

/** Dollars to six places; `--json` and `--csv` have all of them. */
export function marginsText(report: MarginsJson, screen: Screen = PLAIN): string {
  const { by, from, to, credit_usd: creditUsd, groups, total, missing, more } = report;
  const head = `Margins from ${from} to ${to} (UTC); a credit counts as ${creditUsd} USD`;
  if (groups.length === 0) return `${head}\n\nNothing was charged in these days.`;
  const rows = [...groups.map((group) => [group.name ?? "-", ...cellsOf(group)]), ["all", ...cellsOf(total)]];
  const listing = table(
    [
      by.toUpperCase(),
      ">REQUESTS",
      ">CHARGED USD",
      ">COST USD",
      ">MARGIN USD",
      ">SHARE",
      ">WITHOUT COST",
      ">CREDITS WITHOUT COST",
    ],
    rows,
    { screen },
  );
  return [head, listing, ...notes(report), ...missingText(missing, more.missing, screen)].join("\n\n");
}

/** Of what has no cost nothing is known: there is no margin, and none is shown. */
function cellsOf({ requests, charged_usd, cost_usd, margin_usd, no_cost: noCost }: Margin): string[] {
  const known =
    requests === 0
      ? ["-", "-", "-", "-"]
      : [usdText(charged_usd), usdText(cost_usd), usdText(margin_usd), shareOf(margin_usd, charged_usd) ?? "-"];
  return [String(requests), ...known, String(noCost.requests), noCost.requests === 0 ? "-" : noCost.charged];
}

function notes({ total, more }: MarginsJson): string[] {
  const { in_tokens: inTokens, requests_before: before, refunded } = total;
  return [
    ...(more.groups === 0 ? [] : [`${more.groups} groups are not listed. The last line has them.`]),
    ...(refunded === "0" ? [] : [`Given back of these charges, and taken off: ${refunded} credits.`]),
    ...(before === 0 ? [] : [`${before} requests were made before their cost was given.`]),
    ...(inTokens.requests === 0
      ? []
      : [
          `${inTokens.requests} requests were charged in tokens and have no margin. Their cost: ${usdText(inTokens.cost_usd)} dollars.`,
        ]),
  ];
}

function missingText(missing: MarginsJson["missing"], more: number, screen: Screen): string[] {
  if (missing.length === 0) return [];
  const rows = missing.map(({ provider, upstream_model: model, part, requests, charged }) => [
    provider ?? "-",
    model ?? "-",
    part ?? "everything",
    String(requests),
    charged,
  ]);
  return [
    "No cost is given for:",
    table(["PROVIDER", "UPSTREAM MODEL", "LACKS", ">REQUESTS", ">CREDITS"], rows, { screen }),
    ...(more === 0 ? [] : [`${more} more are not listed.`]),
  ];
}

/** One row per group; amounts are exact. */
export const marginsCsv = ({ by, groups }: MarginsJson): string =>
  csv([
    [
      by,
      "id",
      "requests",
      "charged",
      "refunded",
      "charged_usd",
      "cost_usd",
      "margin_usd",
      "requests_before",
      "no_cost_requests",
      "no_cost_charged",
      "no_cost_refunded",
      "in_tokens_requests",
      "in_tokens_cost_usd",
    ],
    ...groups.map((group) => [
      group.name ?? "",
      group.id ?? "",
      group.requests,
      group.charged,
      group.refunded,
      group.charged_usd,
      group.cost_usd,
      group.margin_usd,
      group.requests_before,
      group.no_cost.requests,
      group.no_cost.charged,
      group.no_cost.refunded,
      group.in_tokens.requests,
      group.in_tokens.cost_usd,
    ]),
  ]);
