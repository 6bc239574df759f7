import { formatCredits } from "../core/money/money.ts";
import { type Certificate, outcomesOf } from "./certificate.ts";
import { verdictOf } from "./report-text.ts";

/** The report as JSON. */
export const reportView = (certificate: Certificate): object => ({
  provider: certificate.provider,
  host: certificate.host,
  verdict: verdictOf(certificate),
  tollgate: certificate.version,
  at: new Date(certificate.atMs).toISOString(),
  took_ms: certificate.tookMs,
  spend: formatCredits(certificate.spendNano),
  bound: formatCredits(certificate.boundNano),
  charged: formatCredits(certificate.chargedNano),
  billed_at_most: formatCredits(certificate.billedAtMostNano),
  stopped: certificate.stopped,
  outcomes: outcomesOf(certificate),
  models: certificate.subjects.map((subject) => ({
    model: subject.modelId,
    upstream_model: subject.upstreamModel,
    format: subject.dialect,
    conformant: subject.conformant,
    trials: subject.trials.map((trial) => ({
      id: trial.id,
      title: trial.title,
      client: trial.client,
      outcome: trial.outcome,
      reasons: trial.reasons,
      notes: trial.notes,
      calls: trial.calls,
      charged: formatCredits(trial.chargedNano),
      first_byte_ms: trial.firstByteMs,
    })),
    usage: subject.figures.map((figures) => ({
      input_reported: figures.inputReported,
      input_counted: figures.inputCounted,
      output_reported: figures.outputReported,
      output_counted: figures.outputCounted,
    })),
  })),
});
