import type { FrameReader } from "./frame-reader.ts";

const NAME = /^[\w-]{1,64}$/;

/**
 * Frames that are named, each of which is one event of that name. An exception is an event `exception` with what programs read in `__type`.
 * `last`: the frame without which an answer is not whole.
 */
export const createNamedFrames =
  (last: string): (() => FrameReader) =>
  () => {
    let isWhole = false;
    return {
      events: (type, payload) => {
        const data = inOneLine(payload);
        if (!NAME.test(type) || data === null) return null;
        isWhole ||= type === last;
        return eventOf(type, data);
      },
      exception: ({ type, message }) => eventOf("exception", Buffer.from(JSON.stringify({ __type: type, message }))),
      isWhole: () => isWhole,
      rest: () => NOTHING,
    };
  };

const NOTHING = Buffer.alloc(0);
const END = Buffer.from("\n\n");

/** JSON without line breaks, which would end the data of an event. */
function inOneLine(json: Buffer): Buffer | null {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  try {
    return Buffer.from(JSON.stringify(JSON.parse(json.toString("utf8"))));
  } catch {
    return null;
  }
}

/** A server-sent event. Its data has no line breaks. */
export const eventOf = (name: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`event: ${name}\ndata: `), data, END]);
