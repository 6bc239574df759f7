import { chargeOf } from "../../core/money/pay-rate.ts";
import { formatCredits } from "../../core/money/money.ts";
import type { ClientDialect } from "../../core/request/dialect.ts";
import type { Question } from "../questions.ts";
import { type Finding, nothingFound, type Subject, together, type Trial } from "../trial.ts";
import { answerRoom } from "./text.ts";

/** Some models keep nothing shorter than 4,096 tokens. A letter with its space is a token of nearly every vocabulary. */
const PREFIX_LETTERS = 4_600;
const MOST_CALLS = 3;

/** A text that nobody has ever sent, so that what is said to be cached of it at first is not true. */
function freshPrefix(random: () => number): string {
  const letter = (): string => String.fromCharCode(97 + Math.floor(random() * 26));
  return `A list of letters: ${Array.from({ length: PREFIX_LETTERS }, letter).join(" ")}`;
}

/** The same long prefix again and again: whether it is kept, reported, and charged at its own price. */
export function cacheTrial(subject: Subject, client: ClientDialect, random: () => number): Trial {
  const asked: Question = {
    text: "Reply with the word ready.",
    prefix: freshPrefix(random),
    outputTokens: answerRoom(subject),
    streamed: true,
  };
  return {
    id: "cache",
    title: "prompt cache: same prefix twice",
    client,
    target: "model",
    questions: Array.from({ length: MOST_CALLS }, () => asked),
    turns: 0,
    free: false,
    run: async (stage) => {
      let finding: Finding = nothingFound();
      for (let number = 1; number <= MOST_CALLS; number++) {
        const answer = await stage.ask(asked);
        finding = together(finding, await stage.judge(answer));
        if (answer.usage === null || finding.faults.length > 0) return finding;
        const { cacheReadTokens: cached, inputTokens } = answer.usage;
        if (cached === 0) continue;
        if (number === 1) {
          const fault = `The provider reports ${cached} cached tokens of a prefix that was never sent before.`;
          return together(finding, { faults: [fault], notes: [], skipped: null });
        }
        const whole = chargeOf(subject.tariff, { ...answer.usage, cacheReadTokens: 0 });
        const note = `Call ${number} read ${cached} of ${inputTokens} input tokens from the cache: ${formatCredits(chargeOf(subject.tariff, answer.usage))} credits instead of ${formatCredits(whole)}.`;
        return together(finding, { faults: [], notes: [note], skipped: null });
      }
      return together(finding, {
        faults: [],
        notes: [],
        skipped: `No cached tokens in ${MOST_CALLS} calls with the same prefix.`,
      });
    },
  };
}
