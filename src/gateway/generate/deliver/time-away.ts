import type { AnswerStage } from "../../../translate/answer-stage.ts";

/** How long in all tools of the provider have been at work up to a moment: its model does not think then. */
export function timeAway(
  { providerRuns }: Pick<AnswerStage, "providerRuns">,
  beganMs: number,
): (nowMs: number) => number {
  let lastMs = beganMs;
  let awayMs = 0;
  let wasRunning = false;
  return (nowMs) => {
    if (wasRunning) awayMs += nowMs - lastMs;
    lastMs = nowMs;
    wasRunning = providerRuns?.().running ?? false;
    return awayMs;
  };
}
