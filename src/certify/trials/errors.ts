import type { ClientDialect } from "../../core/request/dialect.ts";
import { hasErrorShape, wordsOf } from "../judge.ts";
import type { Question } from "../questions.ts";
import { objectIn, textIn } from "../read-events.ts";
import {
  type AnsweredQuestion,
  type Finding,
  notApplicable,
  type Stage,
  type Subject,
  type Target,
  together,
  type Trial,
} from "../trial.ts";

const QUESTION: Question = { text: "Reply with the word hello.", outputTokens: 32, streamed: false };

const OUTPUT_LIMIT = "output-limit";

type Expected = {
  id: string;
  title: string;
  target: Target;
  question: Question;
  statuses: readonly number[];
  /** What it means when the provider takes it; null: that it is lenient, which is no fault. */ accepted: string | null;
};

/** What both ends made of a request that must fail. */
function failedFinding(stage: Stage, { reply, exchange, charge }: AnsweredQuestion): Finding {
  const faults: string[] = [];
  if (charge !== null && charge.nano > 0n) faults.push("A failed request was charged.");
  if (!hasErrorShape(stage.client, reply.text))
    faults.push(`Tollgate's error (${reply.status ?? "none"}) does not have the shape of ${stage.client}.`);
  const code = textIn(objectIn(reply.text), "error", "code") || textIn(objectIn(reply.text), "error", "type");
  const theirs =
    exchange === null
      ? "Not sent to the provider"
      : `Provider ${exchange.status ?? "no response"}${wordsOf(exchange.text, stage.subject).replace(/\.$/, "")}`;
  return { faults, notes: [`${theirs}; Tollgate returned ${reply.status ?? "nothing"} ${code}.`], skipped: null };
}

async function leaksOnly(stage: Stage, asked: AnsweredQuestion): Promise<Finding> {
  const { faults } = await stage.judge(asked);
  return { faults: faults.filter((fault) => fault.includes("the credential")), notes: [], skipped: null };
}

const errorTrial = (client: ClientDialect, { id, title, target, question, statuses, accepted }: Expected): Trial => ({
  id,
  title,
  client,
  target,
  questions: [question],
  turns: 0,
  free: id === OUTPUT_LIMIT,
  run: async (stage) => {
    if (target === "wrong_credential" && !stage.subject.hasCredential)
      return notApplicable("The provider needs no credential.");
    // A limit of messages is lowered to the model's, and the call would go out with all of it.
    if (id === OUTPUT_LIMIT && client === "messages")
      return notApplicable("In messages, Tollgate lowers the limit to the model's.");
    const asked = await stage.ask(question);
    const leaks = await leaksOnly(stage, asked);
    const status = asked.exchange?.status ?? null;
    if (status === 200 && accepted === null)
      return together(leaks, notApplicable("The provider accepts an invalid tool schema."));
    if (status === 200 && accepted !== null) return together(leaks, { faults: [accepted], notes: [], skipped: null });
    const unexpected = asked.exchange !== null && (status === null || !statuses.includes(status));
    const faults = unexpected
      ? [`The provider returned ${status ?? "no response"}; expected ${statuses.join(" or ")}.`]
      : [];
    return together(leaks, failedFinding(stage, asked), { faults, notes: [], skipped: null });
  },
});

/** Requests that must fail: which status and words, and what Tollgate makes of them. */
export const errorTrials = (subject: Subject, client: ClientDialect): Trial[] => [
  errorTrial(client, {
    id: "unknown-model",
    title: "error: unknown model",
    target: "unknown_model",
    question: QUESTION,
    statuses: [400, 403, 404, 422],
    accepted: "The provider accepts a model that does not exist.",
  }),
  errorTrial(client, {
    id: "invalid-field",
    title: "error: invalid field",
    target: "model",
    question: { ...QUESTION, tool: "invalid" },
    statuses: [400, 422],
    accepted: null,
  }),
  errorTrial(client, {
    id: OUTPUT_LIMIT,
    title: "error: output limit too large",
    target: "model",
    question: { ...QUESTION, outputTokens: subject.maxOutputTokens + 1 },
    statuses: [400, 422],
    accepted: "The provider accepts an output limit above the model's.",
  }),
  errorTrial(client, {
    id: "wrong-credential",
    title: "error: wrong credential",
    target: "wrong_credential",
    question: QUESTION,
    statuses: [400, 401, 403],
    accepted: "The provider accepts a wrong credential.",
  }),
];
