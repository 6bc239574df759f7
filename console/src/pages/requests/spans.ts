import type { RequestDetail } from "../../api/generated/admin.ts";
import type { Span } from "../../charts/waterfall.tsx";
import { DURATION } from "../../format/unit.ts";
import { STEP_WORDS, type StepName } from "./words.ts";

const KINDS: Partial<Record<StepName, Span["kind"]>> = {
  admitted: "money",
  settled: "money",
  first_byte: "provider",
  last_byte: "provider",
};

type Attempt = { began_ms: number; ended_ms: number; status: number | null; failure: string | null };

/** How the time was divided. */
export function leadOf({ steps, provider_ms: provider }: Pick<RequestDetail, "steps" | "provider_ms">): string {
  const [all, waiting] = [usOf(steps.closed), usOf(provider)];
  return `${DURATION.show(all)} in all, ${DURATION.show(waiting)} of them waiting for providers, ${DURATION.show(all - waiting)} in the gateway`;
}

/** Every step from where the one before ended, and below the call of a provider each attempt. Key holders are not told which provider. */
export function spansOf({
  steps,
  attempts,
}: {
  steps: Record<StepName, number | null>;
  attempts: readonly (Attempt & { provider?: string })[] | null;
}): Span[] {
  let beforeUs = 0n;
  const tries = (attempts ?? []).map((attempt, index): Span => {
    const { provider, began_ms: began, ended_ms: ended, status, failure } = attempt;
    const answer = status === null ? "no answer" : `answered ${status}`;
    return {
      id: `attempt-${index}`,
      name: `${index + 1}. ${provider ?? "call"}`,
      fromUs: usOf(began),
      toUs: usOf(ended),
      kind: failure === null ? "provider" : "failed",
      note: failure === null ? `${answer}, succeeded` : `${answer}, ${failure}`,
    };
  });
  return (Object.keys(STEP_WORDS) as StepName[]).flatMap((step) => {
    const ms = steps[step];
    const span: Span[] = [];
    if (ms !== null) {
      const atUs = usOf(ms);
      span.push({ id: step, name: STEP_WORDS[step], fromUs: beforeUs, toUs: atUs, kind: KINDS[step] ?? "own" });
      beforeUs = atUs;
    }
    return step === "dispatched" ? [...span, ...tries] : span;
  });
}

const usOf = (ms: number): bigint => BigInt(Math.max(0, Math.round(ms * 1000)));
