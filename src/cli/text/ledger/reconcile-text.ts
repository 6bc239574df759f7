import { type BillFinding, type BillVerdict, VERDICTS } from "../../../reconcile/finding.ts";
import type { Reconciliation } from "../../../reconcile/reconcile.ts";
import { counted, printable } from "../cell.ts";
import { PLAIN, type Screen, type Tone } from "../screen.ts";
import { table } from "../table.ts";

const TONES = { agreement: "good", difference: "bad", question: "caution" } as const satisfies Record<string, Tone>;
const HEADER = [
  "=DAY",
  "PROVIDER",
  "MODEL",
  "?TIER",
  "=KIND",
  ">JOURNAL",
  ">EXPORT",
  ">DIFFERENCE",
  ">USD",
  "=VERDICT",
];

/** The comparison of a day: a line for each figure that differs, one for each model that agrees, and why. */
export function reconcileText(found: Reconciliation, screen: Screen = PLAIN): string {
  const { day, findings } = found;
  const lines = table(
    HEADER,
    findings.map((one) => [
      day,
      one.provider,
      one.model ?? "-",
      one.tier ?? "-",
      one.kind,
      one.journal ?? "-",
      one.export ?? "-",
      signed(one.difference),
      one.differenceUsd === null ? (one.exportUsd ?? "-") : signed(one.differenceUsd),
      one.verdict,
    ]),
    { screen, tone: toneOf },
  );
  return [
    ...(findings.length === 0 ? [] : [lines, ""]),
    ...reasons(findings),
    ...asked(findings),
    summary(found),
    ...notes(found),
  ].join("\n");
}

const toneOf = (cell: string): Tone | null =>
  Object.hasOwn(VERDICTS, cell) ? TONES[VERDICTS[cell as BillVerdict]] : null;

/** What the export has more. */
const signed = (text: string | null): string =>
  text === null ? "-" : text.startsWith("-") || text === "0" ? text : `+${text}`;

function reasons(findings: readonly BillFinding[]): string[] {
  const told = findings.filter(({ why }) => why !== "");
  if (told.length === 0) return [];
  return [
    ...told.map(({ provider, model, kind, why }) => printable(`${provider} ${model ?? "-"} ${kind}: ${why}.`)),
    "",
  ];
}

function asked(findings: readonly BillFinding[]): string[] {
  const lines = findings.flatMap(({ add }) => (add === null ? [] : [printable(`  ${add}`)]));
  return lines.length === 0 ? [] : ["The map does not have these names. Add what they mean:", ...lines, ""];
}

function summary({ findings, provisional }: Reconciliation): string {
  const counts = new Map<BillVerdict, number>();
  for (const { verdict } of findings) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const each = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  const young = provisional.map(({ provider, until }) => `${provider} (until ${until})`).join(", ");
  return `${counted(findings.length, "finding")}${each === "" ? "" : `: ${each}`}. Provisional: ${young === "" ? "none" : young}`;
}

const notes = ({ withoutExport, withoutCosts, leftOut, requests }: Reconciliation): string[] =>
  [
    requests === 0 ? "The journal has no charge of this day." : "",
    withoutExport.length === 0 ? "" : `Not compared, since no export was given: ${withoutExport.join(", ")}`,
    withoutCosts.length === 0 ? "" : `Money not compared: ${withoutCosts.join(", ")}`,
    ...leftOut.map((one) => `Left out: ${counted(one.rows, "row")} of ${one.export}: ${one.why}`),
  ]
    .filter((line) => line !== "")
    .map(printable);

/** The same as data. */
export const reconcileJson = (
  { day, findings, provisional, withoutExport, withoutCosts, leftOut, requests }: Reconciliation,
  exitCode: number,
): object => ({
  day,
  exit_code: exitCode,
  requests,
  findings: findings.map((one) => ({
    provider: one.provider,
    credential: one.credential,
    model: one.model,
    tier: one.tier,
    region: one.region,
    kind: one.kind,
    journal: one.journal,
    export: one.export,
    difference: one.difference,
    export_usd: one.exportUsd,
    difference_usd: one.differenceUsd,
    verdict: one.verdict,
    why: one.why,
    add: one.add,
    exports: one.exports,
    requests: one.requests,
  })),
  provisional,
  without_export: withoutExport,
  without_costs: withoutCosts,
  left_out: leftOut,
});
