import { writeFrame } from "../../wire/event-stream/frame.ts";

/** As long as the service makes it, more or less. */
const PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const METRICS = {
  inputTokenCount: 11,
  outputTokenCount: 12,
  invocationLatency: 1_234,
  firstByteLatency: 345,
};
const EVENT = /^event: (\w+)\ndata: (.*)$/s;

/** Events as InvokeModel sends them: in chunks with padding, the last one with figures of its own, and an error as an exception. */
export const invokeFrames = {
  contentType: "application/vnd.amazon.eventstream",
  bytes: (events: string): Buffer =>
    Buffer.concat(
      events
        .split("\n\n")
        .filter((event) => event !== "")
        .map(frameOf),
    ),
};

function frameOf(event: string): Buffer {
  const [, name = "", data = ""] = EVENT.exec(event) ?? [];
  const json = { ":content-type": "application/json" };
  if (name === "error") {
    const headers = { ":exception-type": "serviceUnavailableException", ...json, ":message-type": "exception" };
    return writeFrame(headers, Buffer.from('{"message":"Bedrock is unable to process your request."}'));
  }
  const bytes = Buffer.from(name === "message_stop" ? withMetrics(data) : data).toString("base64");
  const padding = PADDING.slice(0, 1 + (data.length % PADDING.length));
  const payload = Buffer.from(JSON.stringify({ bytes, p: padding }));
  return writeFrame({ ":event-type": "chunk", ...json, ":message-type": "event" }, payload);
}

const withMetrics = (data: string): string =>
  JSON.stringify({ ...(JSON.parse(data) as object), "amazon-bedrock-invocationMetrics": METRICS });
