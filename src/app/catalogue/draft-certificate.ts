import { outcomesOf } from "../../certify/certificate.ts";
import type { Draft, DraftLeak } from "../../certify/recording/find-leaks.ts";
import { reportText } from "../../certify/report-text.ts";
import { reportView } from "../../certify/report-view.ts";
import type { Certified } from "./certify-provider.ts";

export type DraftedCertificate = {
  report: Draft;
  recordings: readonly Draft[];
  leaks: readonly DraftLeak[];
  passed: boolean;
};

/** The files of a run, and what must not be in them. Nothing is written here. */
export function draftCertificate(
  { certificate, recordings, mask, leaksIn }: Certified,
  asJson: boolean,
): DraftedCertificate {
  const text = asJson ? `${JSON.stringify(reportView(certificate), null, 2)}\n` : reportText(certificate);
  const report = { path: "the report", text: mask(text) };
  const { passed, failed } = outcomesOf(certificate);
  return {
    report,
    recordings,
    leaks: leaksIn([report, ...recordings]),
    passed: failed === 0 && passed > 0 && certificate.stopped === null,
  };
}
