import type { ByteReader, ByteStream } from "../../core/bytes/byte-stream.ts";
import type { ExchangeWatcher, Overhear } from "../../core/request/overhear.ts";
import { createConverseFrames } from "../../upstream/converse/converse-convention.ts";
import type { FrameReader } from "../../upstream/frames/frame-reader.ts";
import { createInvokeFrames } from "../../upstream/frames/invoke-frames.ts";
import { isFramed } from "../../upstream/frames/unframe.ts";
import { UnframedStream } from "../../upstream/frames/unframed-stream.ts";

/** What frames hold, by where they were asked for. */
const READERS: readonly [path: RegExp, create: () => FrameReader][] = [
  [/\/invoke-with-response-stream$/, createInvokeFrames],
  [/\/converse-stream$/, createConverseFrames],
];

/** Listens to streams of frames as to the events that they come to; all else is heard as it is. */
export const overhearUnframed =
  (overhear: Overhear): Overhear =>
  (call) => {
    const watcher = overhear(call);
    const create = READERS.find(([path]) => path.test(call.path))?.[1];
    if (create === undefined) return watcher;
    let frames: ByteReader | null = null;
    return {
      head: (status, headers) => {
        if (!isFramed(headers)) return watcher.head(status, headers);
        watcher.head(status, { ...headers, "content-type": "text/event-stream" });
        frames = unframedTo(watcher, create());
      },
      bytes: (chunk) => (frames === null ? watcher.bytes(chunk) : frames.chunk(chunk)),
      ended: (how) => watcher.ended(how),
    };
  };

function unframedTo(watcher: ExchangeWatcher, reader: FrameReader): ByteReader {
  let given: ByteReader | null = null;
  const source: ByteStream = {
    read: (taker) => (given = taker),
    pause: () => undefined,
    resume: () => undefined,
    cancel: () => undefined,
  };
  const stream = new UnframedStream(source, reader, () => undefined);
  stream.start();
  stream.read({ chunk: (bytes) => watcher.bytes(bytes), end: () => undefined, fail: () => undefined });
  return { chunk: (bytes) => given?.chunk(bytes), end: () => given?.end(), fail: (error) => given?.fail(error) };
}
