import type { IncomingHttpHeaders } from "node:http";
import { CODEX } from "../../core/request/codex.ts";
import type { Fault } from "../../core/fault.ts";

/**
 * Codex waits as long as it is told without a word to its user, and then asks again a few times. With this its user reads within half a
 * minute what is the matter; the message says when the limit renews.
 */
const CODEX_USED_UP_SECONDS = 5;

/** The same refusal, with the wait that its client can use. [interface decision 29] */
export function forClient(fault: Fault, { "user-agent": agent = "", originator = "" }: IncomingHttpHeaders): Fault {
  if (fault.code !== "limit_reached") return fault;
  const isCodex = CODEX.test(agent) || (typeof originator === "string" && CODEX.test(originator));
  return isCodex ? fault.waitingAtMost(CODEX_USED_UP_SECONDS) : fault;
}
