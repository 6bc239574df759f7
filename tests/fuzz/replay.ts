import type { FuzzCase } from "./fuzz-case.ts";
import { createJudge } from "./judge.ts";
import { createPlayer } from "./play-case.ts";
import type { FuzzStage } from "./stage.ts";
import { vitalProblems } from "./vital-signs.ts";

const DEADLINE_MS = 20_000;

/** Plays one case again: what was sent and answered, in words, and what is wrong with it. */
export async function replay(stage: FuzzStage, fuzzCase: FuzzCase): Promise<{ said: string; problems: string[] }> {
  const player = createPlayer({ ...stage, deadlineMs: DEADLINE_MS });
  const played = await player.play(fuzzCase);
  player.close();
  const sent = fuzzCase.steps.map((step) =>
    step.kind === "send" ? step.bytes.toString("latin1").slice(0, 4_000) : `[${JSON.stringify(step)}]`,
  );
  const heard = played.answers.map(
    ({ status, headers, body }) => `${status} ${JSON.stringify([...headers])}\n${body.toString("utf8", 0, 2_000)}`,
  );
  return {
    said: [...sent, `— ${played.end} after ${played.ms.toFixed(0)} ms —`, ...heard].join("\n"),
    problems: [...createJudge()(fuzzCase, played), ...(await vitalProblems(stage))],
  };
}
