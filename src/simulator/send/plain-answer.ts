import type { Outlet } from "./outlet.ts";
import { Refusal } from "../ask/refusal.ts";
import type { Script } from "../plan/script.ts";

type PlainParts = { outlet: Outlet; body: Buffer; script: Script; tokens: number };

/** Sends an answer in one piece, after the time its tokens would have taken. */
export async function sendPlainAnswer({ outlet, body, script, tokens }: PlainParts): Promise<void> {
  const { pauseAfterTokens, interruption, tokensPerSecond } = script;
  if (tokensPerSecond > 0) await sleep(outlet, (tokens * 1000) / tokensPerSecond);
  if (pauseAfterTokens !== null && pauseAfterTokens <= tokens) await released(outlet);
  if (!outlet.open) return;

  const head = { "content-type": "application/json", "content-length": body.length };
  if (interruption === null || (interruption.afterTokens ?? 0) > tokens) {
    outlet.call.tokensProduced = tokens;
    outlet.begin(200, head);
    return outlet.end(script.malformedAfterTokens === null ? body : broken(body));
  }
  if (interruption.kind === "hang") return;
  if (interruption.kind === "error") throw new Refusal(500, "The server had an error while processing your request.");
  outlet.begin(200, head);
  outlet.write(body.subarray(0, body.length >> 1), 0);
  if (interruption.kind === "reset") outlet.reset();
  else outlet.cut();
}

/** Resolves when the time has passed or the caller has left. */
export function sleep(outlet: Outlet, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (!outlet.open) return resolve();
    const timer = setTimeout(resolve, ms);
    outlet.whenGone(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function released(outlet: Outlet): Promise<void> {
  return new Promise((resolve) => {
    outlet.whenGone(resolve);
    if (outlet.open) outlet.pause(resolve);
  });
}

/** Breaks the JSON without changing the length the head has promised. */
function broken(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  copy.fill(" ", body.length >> 1);
  return copy;
}
