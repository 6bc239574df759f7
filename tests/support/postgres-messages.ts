/** A message of PostgreSQL's protocol; the startup packet, which has no type, comes with an empty one. */
type OnMessage = (type: string, body: Buffer) => void;

const STARTUP_HEAD_BYTES = 4;
const HEAD_BYTES = 5;

/** What a client sends, message by message, however it is cut into chunks. */
export const frontendMessages = (onMessage: OnMessage): ((chunk: Buffer) => void) => messages("startup", onMessage);

/** What a server sends. */
export const backendMessages = (onMessage: OnMessage): ((chunk: Buffer) => void) => messages("typed", onMessage);

function messages(first: "startup" | "typed", onMessage: OnMessage): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = first === "startup";
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const headBytes = untyped ? STARTUP_HEAD_BYTES : HEAD_BYTES;
      if (rest.length < headBytes) return;
      // The length counts itself and not the type before it.
      const end = rest.readUInt32BE(headBytes - STARTUP_HEAD_BYTES) + headBytes - STARTUP_HEAD_BYTES;
      if (rest.length < end) return;
      onMessage(untyped ? "" : String.fromCharCode(rest[0] as number), rest.subarray(headBytes, end));
      rest = rest.subarray(end);
      untyped = false;
    }
  };
}

/** The texts that end in a zero byte at the start of a message. */
export function textsOf(body: Buffer, count: number): string[] {
  const texts: string[] = [];
  let from = 0;
  while (texts.length < count) {
    const to = body.indexOf(0, from);
    if (to < 0) return texts;
    texts.push(body.toString("utf8", from, to));
    from = to + 1;
  }
  return texts;
}
