import { writeFrame } from "../../wire/event-stream/frame.ts";

/** An event by its name, whatever is in it. */
export const frameConverse = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;

/** A recorded event: its name is the one member that it has. */
export function frameRecorded(line: string): string {
  const [name = "", data] = Object.entries(JSON.parse(line) as Record<string, unknown>)[0] ?? [];
  return frameConverse(name, JSON.stringify(data));
}

/** Events as they are sent: each a frame, and an exception one of its own kind. */
export const inFrames = {
  contentType: "application/vnd.amazon.eventstream",
  bytes: (text: string): Buffer =>
    Buffer.concat(
      text
        .split("\n\n")
        .filter((event) => event !== "")
        .map(frameOf),
    ),
};

const EVENT = /^event: (\w+)\ndata: (.*)$/s;

function frameOf(event: string): Buffer {
  const [, name = "", data = ""] = EVENT.exec(event) ?? [];
  const json = { ":content-type": "application/json" };
  if (name !== "exception")
    return writeFrame({ ":event-type": name, ...json, ":message-type": "event" }, Buffer.from(data));
  const { __type: type, message } = JSON.parse(data) as { __type: string; message: string };
  const headers = { ":exception-type": type, ...json, ":message-type": "exception" };
  return writeFrame(headers, Buffer.from(JSON.stringify({ message })));
}
