import type { ClientDialect } from "../core/request/dialect.ts";
import type { Subject, Trial } from "./trial.ts";
import { cacheTrial } from "./trials/cache.ts";
import { cancelTrial, reasoningTrial } from "./trials/cancel.ts";
import { errorTrials } from "./trials/errors.ts";
import { crossedText, structuredTrial, textTrials } from "./trials/text.ts";
import { streamedCall, toolLoop } from "./trials/tools.ts";

const CLIENTS: readonly ClientDialect[] = ["chat", "responses", "messages"];

/** The format a client of a route uses where nothing need be translated; Gemini and Converse have no clients of their own here. */
export const nativeClient = ({ dialect }: Subject): ClientDialect =>
  dialect === "gemini" || dialect === "converse" ? "chat" : dialect;

/** The fixed list, in the order in which it runs: what is wrong with the account shows first and costs least. */
export function trialsFor(subject: Subject, random: () => number): Trial[] {
  const client = nativeClient(subject);
  const others = CLIENTS.filter((other) => other !== client);
  return [
    ...textTrials(subject, client),
    toolLoop(subject, client, { id: "tool-loop", title: "tool loop: call, result, answer" }),
    streamedCall(subject, client),
    structuredTrial(subject, client),
    cacheTrial(subject, client, random),
    cancelTrial(subject, client),
    reasoningTrial(subject, client === "messages" ? "chat" : client),
    ...errorTrials(subject, client),
    ...others.flatMap((other) => [
      crossedText(subject, other),
      toolLoop(subject, other, { id: `from-${other}-tools`, title: `${other} client: tool loop` }),
    ]),
  ];
}
