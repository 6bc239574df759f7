import { isWithheld } from "../db/database-error.ts";
import { type Check, type CheckGroup, type CheckId, type CheckFinding, skipped, type Status } from "./check.ts";
import type { Patient } from "./patient.ts";

export type ReportedCheck = {
  id: CheckId;
  group: CheckGroup;
  title: string;
  status: Status;
  message: string;
  /** Null where there is nothing to mend. */
  fix: string | null;
};

export type Report = {
  /** False when something is broken; a warning breaks nothing. */
  ok: boolean;
  counts: Record<Status, number>;
  checks: readonly ReportedCheck[];
};

type Examination = { checks: readonly Check[]; patient: Patient; onStep: (title: string) => void };

/** Runs every check in order. What one of them throws is a finding, not the end; what the server will not say is not a failure. */
export async function examine({ checks, patient, onStep }: Examination): Promise<Report> {
  const lines: ReportedCheck[] = [];
  const unanswered = new Map<CheckId, string>();
  for (const check of checks) {
    const missing = check.after?.find((id) => unanswered.has(id));
    if (missing === undefined) onStep(check.title);
    const findings =
      missing === undefined
        ? await findingsOf(check, patient)
        : [{ status: "skipped" as const, message: `needs ${unanswered.get(missing)}` }];
    if (findings.every(({ status }) => status === "failed" || status === "skipped"))
      unanswered.set(check.id, missing === undefined ? `"${check.title}"` : (unanswered.get(missing) ?? ""));
    lines.push(...findings.map((finding) => lineOf(check, finding)));
  }
  const counts: Record<Status, number> = { ok: 0, warning: 0, failed: 0, skipped: 0 };
  for (const { status } of lines) counts[status] += 1;
  return { ok: counts.failed === 0, counts, checks: lines };
}

async function findingsOf(check: Check, patient: Patient): Promise<readonly CheckFinding[]> {
  try {
    return [await check.run(patient)].flat();
  } catch (error) {
    return [
      isWithheld(error) ? skipped(patient.explain(error)) : { status: "failed", message: patient.explain(error) },
    ];
  }
}

const lineOf = ({ id, title, fix }: Check, finding: CheckFinding): ReportedCheck => ({
  id,
  group: id.slice(0, id.indexOf("-")) as CheckGroup,
  title,
  status: finding.status,
  message: finding.message,
  fix: finding.status === "ok" || finding.status === "skipped" ? null : (finding.fix ?? fix),
});
