import { formatCredits } from "../core/money/money.ts";
import {
  type Certificate,
  outcomesOf,
  type SubjectReport,
  type TrialOutcome,
  type TrialReport,
} from "./certificate.ts";
import type { Figures } from "./judge.ts";

const WORDS: Readonly<Record<TrialOutcome, string>> = {
  passed: "passed",
  failed: "**FAILED**",
  not_applicable: "not applicable",
};

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The report as Markdown: the verdict and the faults first, then every trial. */
export function reportText(certificate: Certificate): string {
  const { passed, failed, not_applicable: skipped } = outcomesOf(certificate);
  const { provider, host, version, atMs, tookMs, stopped } = certificate;
  return [
    `# ${provider}: ${verdictOf(certificate)}`,
    "",
    `${passed} trials passed, ${failed} failed, ${skipped} did not apply. ${costText(certificate)}`,
    "",
    `Tollgate ${version}, ${day(atMs)}, ${Math.round(tookMs / 1_000)} s, ${host ?? "an address of the operator's own"}.`,
    ...(stopped === null ? [] : ["", `**The run ended early.** ${stopped}`]),
    "",
    "## Faults",
    "",
    ...faultLines(certificate),
    ...certificate.subjects.flatMap((subject) => ["", ...subjectLines(subject)]),
    "",
    "## What this does not show",
    "",
    "- What the provider billed. Compare the cost above with your account there.",
    "- How the provider behaves under load, or on another day. Run it again after an upgrade of Tollgate or a change of the model.",
    "",
  ].join("\n");
}

export function verdictOf(certificate: Certificate): string {
  const { passed, failed } = outcomesOf(certificate);
  if (certificate.stopped !== null) return "not certified, the run ended early";
  if (failed > 0) return `not certified, ${failed} of ${failed + passed} trials failed`;
  return passed === 0 ? "not certified, nothing was tested" : "certified";
}

const costText = ({ chargedNano, billedAtMostNano, spendNano }: Certificate): string =>
  `Cost at the catalogue's prices: ${formatCredits(chargedNano)} credits charged; at most ${formatCredits(billedAtMostNano)} billed by the provider, of ${formatCredits(spendNano)} allowed.`;

function faultLines({ subjects }: Certificate): string[] {
  const faults = subjects.flatMap((subject) =>
    subject.trials
      .filter(({ outcome }) => outcome === "failed")
      .flatMap((trial) =>
        trial.reasons.map((reason) => ({ where: `${subject.modelId} (${subject.dialect})`, trial, reason })),
      ),
  );
  if (faults.length === 0) return ["None."];
  const byReason = Map.groupBy(faults, ({ where, reason }) => `${where}\n${reason}`);
  return [...byReason.values()].map((same) => {
    const [{ where, reason } = { where: "", reason: "" }] = same;
    return `- ${where}: ${cell(reason)} (${same.map(({ trial }) => trial.id).join(", ")})`;
  });
}

function subjectLines({ modelId, upstreamModel, dialect, conformant, trials, figures }: SubjectReport): string[] {
  return [
    `## ${modelId} (${dialect}${conformant ? ", conformant" : ", normalised"})`,
    "",
    ...(upstreamModel === modelId ? [] : [`The provider calls it ${upstreamModel}.`, ""]),
    "| Trial | Result | Calls | Credits | First byte | Notes |",
    "|---|---|---|---|---|---|",
    ...trials.map(trialLine),
    "",
    ...figureLines(figures),
  ];
}

function trialLine({ title, outcome, calls, chargedNano, firstByteMs, reasons, notes }: TrialReport): string {
  const cells = [
    title,
    WORDS[outcome],
    calls === 0 ? "" : String(calls),
    calls === 0 ? "" : formatCredits(chargedNano),
    firstByteMs === null ? "" : `${firstByteMs} ms`,
    [...reasons, ...notes].map(cell).join(" "),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Reported against counted, over all answers; single short ones would say little. */
function figureLines(figures: readonly Figures[]): string[] {
  if (figures.length === 0) return ["No usage could be compared with Tollgate's tokenizer."];
  const sum = (name: keyof Figures): number => figures.reduce((total, figure) => total + figure[name], 0);
  const line = (what: string, reported: number, counted: number): string =>
    `- ${what}: ${grouped(reported)} tokens reported, ${grouped(counted)} counted by Tollgate's tokenizer (${difference(reported, counted)}).`;
  return [
    `Usage of ${figures.length} responses:`,
    "",
    line("input", sum("inputReported"), sum("inputCounted")),
    line("output without reasoning", sum("outputReported"), sum("outputCounted")),
  ];
}

export function difference(reported: number, counted: number): string {
  if (counted === 0) return "nothing to compare";
  const percent = ((reported - counted) / counted) * 100;
  return `${percent >= 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

const grouped = (count: number): string => count.toLocaleString("en-US");
const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
