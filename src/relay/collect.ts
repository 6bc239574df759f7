import { wholeSeconds } from "../core/deadline.ts";
import type { ByteStream } from "../core/bytes/byte-stream.ts";
import { GatheredBytes } from "../core/bytes/gathered-bytes.ts";
import type { Sink } from "../core/request/sink.ts";
import type { AnswerOutcome } from "../core/money/usage.ts";

export type CollectTask = { body: ByteStream; sink: Pick<Sink, "onGone">; maxBytes: number; timeoutMs: number };

export type Collected = { outcome: AnswerOutcome; bytes: Buffer };

const NOTHING = Buffer.alloc(0);

/** Gathers an answer that must be whole before it is of use. The provider is stopped as soon as it can no longer be. */
export function collect({ body, sink, maxBytes, timeoutMs }: CollectTask): Promise<Collected> {
  return new Promise((resolve) => {
    const answer = new GatheredBytes();
    const deadline = setTimeout(() => giveUp("timed_out"), wholeSeconds(timeoutMs));
    sink.onGone(() => giveUp("client_gone"));
    body.read({
      chunk: (bytes) => {
        if (answer.size + bytes.length > maxBytes) giveUp("limited");
        else answer.add(bytes);
      },
      end: () => finish("completed", answer.whole()),
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
