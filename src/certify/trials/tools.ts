import type { ClientDialect } from "../../core/request/dialect.ts";
import { type Question, TOOL_NAME, TOOL_RESULT, withResults } from "../questions.ts";
import { objectIn } from "../read-events.ts";
import { type AnsweredQuestion, type Finding, type Subject, together, type Trial } from "../trial.ts";
import { answerRoom } from "./text.ts";

const TEXT = `Use the tool ${TOOL_NAME} to look up the temperature in Lisbon, then answer with the temperature in digits.`;

const question = (subject: Subject, streamed: boolean): Question => ({
  text: TEXT,
  outputTokens: answerRoom(subject),
  streamed,
  tool: "valid",
});

/** A call with an id, the right name, and arguments that are a JSON object with the city. */
function callFinding({ read }: AnsweredQuestion): Finding {
  const faults: string[] = [];
  const [call] = read.calls;
  if (call === undefined) faults.push("The model did not call the tool.");
  else {
    if (call.name !== TOOL_NAME) faults.push("The tool call has another name than the tool.");
    if (call.id === "") faults.push("The tool call has no id.");
    const given = objectIn(call.arguments);
    if (given === null) faults.push("The arguments of the tool call are no JSON object.");
    else if (typeof given["city"] !== "string") faults.push("The arguments of the tool call lack the required city.");
  }
  return { faults, notes: [], skipped: null };
}

/** The loop of an agent: the call, its result, and the last word. */
export function toolLoop(subject: Subject, client: ClientDialect, name: { id: string; title: string }): Trial {
  const asked = question(subject, false);
  return {
    ...name,
    client,
    target: "model",
    questions: [asked],
    turns: 1,
    free: false,
    run: async (stage) => {
      const first = await stage.ask(asked);
      const called = together(await stage.judge(first), callFinding(first));
      if (called.faults.length > 0) return called;
      const last = await stage.ask(withResults(client, first.body, first.read));
      const ended = await stage.judge(last);
      const faults =
        last.read.text.includes(TOOL_RESULT) || ended.faults.length > 0
          ? []
          : ["The last response ignores the tool's result."];
      return together(called, ended, { faults, notes: [], skipped: null });
    },
  };
}

export function streamedCall(subject: Subject, client: ClientDialect): Trial {
  const asked = question(subject, true);
  return {
    id: "tool-stream",
    title: "tool call, streamed",
    client,
    target: "model",
    questions: [asked],
    turns: 0,
    free: false,
    run: async (stage) => {
      const answer = await stage.ask(asked);
      return together(await stage.judge(answer), callFinding(answer));
    },
  };
}
