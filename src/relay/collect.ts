import { wholeSeconds } from "../core/deadline.ts";
import type { ByteStream } from "../core/byte-stream.ts";
import type { Sink } from "../core/sink.ts";
import type { AnswerOutcome } from "../core/usage.ts";

export type CollectTask = { body: ByteStream; sink: Pick<Sink, "onGone">; maxBytes: number; timeoutMs: number };

export type Collected = { outcome: AnswerOutcome; bytes: Buffer };

const NOTHING = Buffer.alloc(0);

/** Gathers an answer that must be whole before it is of use. The provider is stopped as soon as it can no longer be. */
export function collect({ body, sink, maxBytes, timeoutMs }: CollectTask): Promise<Collected> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const deadline = setTimeout(() => giveUp("timed_out"), wholeSeconds(timeoutMs));
    sink.onGone(() => giveUp("client_gone"));
    body.read({
      chunk: (bytes) => {
        size += bytes.length;
        if (size > maxBytes) giveUp("limited");
        else chunks.push(bytes);
      },
      end: () => finish("completed", chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks)),
      fail: () => finish("upstream_failed", NOTHING),
    });

    function giveUp(outcome: AnswerOutcome): void {
      body.cancel();
      finish(outcome, NOTHING);
    }
    function finish(outcome: AnswerOutcome, bytes: Buffer): void {
      clearTimeout(deadline);
      resolve({ outcome, bytes });
    }
  });
}
