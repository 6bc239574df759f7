import type { DraftedCertificate } from "../../../app/catalogue/draft-certificate.ts";
import type { PlannedCertification } from "../../../app/catalogue/plan-certification.ts";
import type { CertifyOrder } from "../../../app/catalogue/certify-provider.ts";
import { formatCredits } from "../../../core/money/money.ts";
import { counted } from "../cell.ts";
import type { Screen, Tone } from "../screen.ts";

type Plan = PlannedCertification["plan"];

/** Rounded up to four places: people type it. */
function typed(nano: bigint): string {
  const step = 100_000n;
  return formatCredits(((nano + step - 1n) / step) * step);
}

export const tooLittle = (plan: Plan, spendNano: bigint): string =>
  `the trials can cost up to ${typed(plan.sufficientNano)} credits; --spend allows ${formatCredits(spendNano)}. Use --spend ${typed(plan.sufficientNano)}, or a cheaper model.`;

export function planText(
  plan: Plan,
  { provider, spendNano }: { provider: { name: string; baseUrl: string }; spendNano: bigint },
): string {
  const lines = plan.subjects.map(
    ({ subject, trials }) => `  ${subject.modelId} (${subject.dialect}): ${trials.map(({ id }) => id).join(", ")}\n`,
  );
  return `Calling ${provider.name} at ${provider.baseUrl}\n${lines.join("")}${counted(plan.calls, "call")}, at most ${typed(plan.boundNano)} credits at the catalogue's prices; --spend allows ${formatCredits(spendNano)}.\n`;
}

const TONES = { passed: "good", failed: "bad", not_applicable: "secondary" } as const satisfies Record<string, Tone>;
const WORDS = { passed: "passed", failed: "FAILED", not_applicable: "n/a" } as const;

type Told = {
  subject: Parameters<CertifyOrder["onTrial"]>[0];
  trial: Parameters<CertifyOrder["onTrial"]>[1];
  done: number;
  total: number;
};

/** One line for each trial that has ended. */
export function trialText({ subject, trial, done, total }: Told, screen: Screen): string {
  const word = screen.paint(TONES[trial.outcome], WORDS[trial.outcome].padEnd(6));
  const reason = trial.reasons[0] === undefined ? "" : `: ${trial.reasons[0]}`;
  return `[${String(done).padStart(String(total).length)}/${total}] ${word} ${subject.dialect} ${trial.title}${reason}\n`;
}

export function summaryText(
  drafted: DraftedCertificate,
  { report, recordings }: { report: string; recordings: string | null },
): string {
  const [verdict = "", , outcomes = ""] = drafted.report.text.split("\n");
  const files = recordings === null ? "" : ` and ${counted(drafted.recordings.length, "recording")} to ${recordings}`;
  return `${verdict.replace(/^# /, "")}. ${outcomes}\nWrote ${report}${files}.\n`;
}
