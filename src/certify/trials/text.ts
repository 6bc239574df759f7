import type { ClientDialect } from "../../core/request/dialect.ts";
import type { Question } from "../questions.ts";
import { type Finding, notApplicable, type Stage, type Subject, together, type Trial } from "../trial.ts";

/** Room for an answer of a few sentences, and for what a model may think before it. */
export const answerRoom = ({ capabilities }: Subject): number => (capabilities["reasoning"] === false ? 160 : 640);

const TEXT = "Name the seven days of the week in English, then the twelve months of the year, separated by commas.";

const question = (subject: Subject, streamed: boolean): Question => ({
  text: TEXT,
  outputTokens: answerRoom(subject),
  streamed,
});

export async function hasText(stage: Stage, asked: Question): Promise<Finding> {
  const answer = await stage.ask(asked);
  const finding = await stage.judge(answer);
  if (finding.faults.length > 0) return finding;
  const faults: string[] = [];
  if (answer.reply.status !== 200) faults.push(`Tollgate returned ${answer.reply.status ?? "no response"}.`);
  else if (answer.read.text === "")
    faults.push(`The response has no text; it ended with ${answer.read.finish || "no reason"}.`);
  else if (answer.read.finish === "") faults.push("The response does not say why it ended.");
  return together(finding, { faults, notes: [], skipped: null });
}

/** Text, whole and streamed, from a client of one format. */
export function textTrials(subject: Subject, client: ClientDialect): Trial[] {
  const make = (id: string, title: string, asked: Question): Trial => ({
    id,
    title,
    client,
    target: "model",
    questions: [asked],
    turns: 0,
    free: false,
    run: (stage) => hasText(stage, asked),
  });
  return [
    make("text", "text, whole", question(subject, false)),
    make("stream", "text, streamed: stream rules", question(subject, true)),
  ];
}

export function crossedText(subject: Subject, client: ClientDialect): Trial {
  const asked = question(subject, true);
  return {
    id: `from-${client}-text`,
    title: `${client} client: text, streamed`,
    client,
    target: "model",
    questions: [asked],
    turns: 0,
    free: false,
    run: (stage) => hasText(stage, asked),
  };
}

/** JSON by a schema, where the model can. */
export function structuredTrial(subject: Subject, client: ClientDialect): Trial {
  const asked: Question = {
    text: "Which city is the capital of France, and which river flows through it?",
    outputTokens: answerRoom(subject),
    streamed: false,
    schema: true,
  };
  return {
    id: "structured",
    title: "structured output",
    client,
    target: "model",
    questions: [asked],
    turns: 0,
    free: false,
    run: async (stage) => {
      if (subject.capabilities["structured_output"] === false)
        return notApplicable("The catalogue says the model has none.");
      const answer = await stage.ask(asked);
      if (answer.exchange?.status === 400) return notApplicable("The provider rejects a JSON schema for this model.");
      const finding = await stage.judge(answer);
      if (finding.faults.length > 0) return finding;
      const fits = fitsSchema(answer.read.text);
      return together(finding, {
        faults: fits ? [] : ["The response does not fit the requested JSON schema."],
        notes: [],
        skipped: null,
      });
    },
  };
}

function fitsSchema(text: string): boolean {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return typeof value["city"] === "string" && typeof value["river"] === "string" && Object.keys(value).length === 2;
  } catch {
    return false;
  }
}
