import type { Sink } from "../../core/request/sink.ts";
import { type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import { refusalOf } from "./frame-exception.ts";
import type { FrameReader } from "./frame-reader.ts";
import { type Beginning, UnframedStream } from "./unframed-stream.ts";

/** The same answer as server-sent events. What begins with an exception is a refusal, and what never begins throws. */
export type Unframe = (answer: UpstreamAnswer, sink: Pick<Sink, "onGone">) => Promise<UpstreamAnswer>;

const FRAMED = /^application\/vnd\.amazon\.eventstream\b/i;

/** Whether an answer comes in frames. */
export const isFramed = (headers: UpstreamAnswer["headers"]): boolean => FRAMED.test(String(headers["content-type"]));

/** As of an answer that comes as events: then its caller can be sent signs of life. */
const FIRST_FRAME_MS = 5_000;

/** For streams that come in frames, whatever is in them. */
export const createUnframe =
  (createReader: () => FrameReader): Unframe =>
  (answer, sink) => {
    const { status, headers, body } = answer;
    if (status !== 200) return Promise.resolve(answer);
    // Whatever else it is, it is no answer: an address that nobody serves is told with success, too.
    if (!isFramed(headers)) return Promise.resolve({ ...answer, status: 502 });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => stream.passOn(), FIRST_FRAME_MS);
      const stream = new UnframedStream(body, createReader(), begun);
      sink.onGone(() => {
        body.cancel();
        begun({ kind: "failure", error: new UpstreamError("broken", new Error("the caller left"), { sent: true }) });
      });
      stream.start();

      /** Only the first word counts. */
      function begun(beginning: Beginning): void {
        clearTimeout(timer);
        if (beginning.kind === "answer") resolve({ status, headers, body: stream });
        else if (beginning.kind === "exception") resolve(refusalOf(beginning.said));
        else reject(beginning.error);
      }
    });
  };
