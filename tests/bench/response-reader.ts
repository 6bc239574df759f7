/** Where a response stands: in its header, in a body of known length, or in one of the parts of a chunked body. */
type Part = "header" | "sized" | "chunkSize" | "chunk" | "chunkEnd" | "trailer";

export type ResponseEvents = {
  /** The header is complete. */
  begin: (status: number) => void;
  /** A piece of the body, without its framing. The bytes are only valid during the call. */
  body: (bytes: Buffer, start: number, end: number) => void;
  /** The body is complete; the next byte begins another response. */
  finish: () => void;
};

export type ResponseReader = { take: (bytes: Buffer) => void };

const HEADER_END = Buffer.from("\r\n\r\n");
const HEADER_LIMIT_BYTES = 65_536;
const NEWLINE = 10;

/**
 * Reads HTTP/1.1 responses from a connection, one after the other, and nothing that a load generator does not need: the
 * status, and where the body begins and ends. Throws on what it cannot follow, for then no figure would be true.
 */
export function createResponseReader(events: ResponseEvents): ResponseReader {
  let part: Part = "header";
  /** The beginning of a header or a size line that the network cut. */
  let kept = "";
  let remaining = 0;

  const line = (bytes: Buffer, start: number): { text: string; next: number } | null => {
    const end = bytes.indexOf(NEWLINE, start);
    kept += bytes.toString("latin1", start, end < 0 ? bytes.length : end + 1);
    if (kept.length > HEADER_LIMIT_BYTES) throw new Error("a line of the response does not end");
    if (end < 0) return null;
    const text = kept;
    kept = "";
    return { text, next: end + 1 };
  };

  const finish = (): void => {
    part = "header";
    events.finish();
  };

  const body = (bytes: Buffer, start: number): number => {
    const end = Math.min(bytes.length, start + remaining);
    events.body(bytes, start, end);
    remaining -= end - start;
    return end;
  };

  /** Each reads its part from `start` and returns where the next part begins. */
  const steps: Record<Part, (bytes: Buffer, start: number) => number> = {
    header: (bytes, start) => {
      const header = wholeHeader(bytes, start, kept);
      if (header === null) {
        kept += bytes.toString("latin1", start);
        if (kept.length > HEADER_LIMIT_BYTES) throw new Error("the header of the response does not end");
        return bytes.length;
      }
      kept = "";
      const framing = framingOf(header.text);
      events.begin(framing.status);
      remaining = framing.bodyBytes ?? 0;
      part = framing.bodyBytes === null ? "chunkSize" : "sized";
      if (framing.bodyBytes === 0) finish();
      return header.next;
    },
    sized: (bytes, start) => {
      const end = body(bytes, start);
      if (remaining === 0) finish();
      return end;
    },
    chunkSize: (bytes, start) => {
      const size = line(bytes, start);
      if (size === null) return bytes.length;
      remaining = Number.parseInt(size.text, 16);
      if (!Number.isInteger(remaining)) throw new Error(`not a chunk size: ${JSON.stringify(size.text)}`);
      part = remaining === 0 ? "trailer" : "chunk";
      return size.next;
    },
    chunk: (bytes, start) => {
      const end = body(bytes, start);
      if (remaining === 0) part = "chunkEnd";
      return end;
    },
    chunkEnd: (bytes, start) => {
      const blank = line(bytes, start);
      if (blank === null) return bytes.length;
      part = "chunkSize";
      return blank.next;
    },
    trailer: (bytes, start) => {
      const field = line(bytes, start);
      if (field === null) return bytes.length;
      if (field.text === "\r\n") finish();
      return field.next;
    },
  };

  return {
    take: (bytes) => {
      let position = 0;
      while (position < bytes.length) position = steps[part](bytes, position);
    },
  };
}

/** The header including what was kept of it, and where its body begins; null when its end has not come yet. */
function wholeHeader(bytes: Buffer, start: number, kept: string): { text: string; next: number } | null {
  if (kept === "") {
    const found = bytes.indexOf(HEADER_END, start);
    if (found < 0) return null;
    return { text: bytes.toString("latin1", start, found + HEADER_END.length), next: found + HEADER_END.length };
  }
  const text = kept + bytes.toString("latin1", start);
  const found = text.indexOf("\r\n\r\n", Math.max(0, kept.length - HEADER_END.length));
  if (found < 0) return null;
  const end = found + HEADER_END.length;
  return { text: text.slice(0, end), next: start + end - kept.length };
}

function framingOf(header: string): { status: number; bodyBytes: number | null } {
  const status = Number(header.slice(9, 12));
  if (!header.startsWith("HTTP/1.1 ") || !Number.isInteger(status)) throw new Error("not an HTTP/1.1 response");
  const sized = /\r\ncontent-length: *(\d+)/i.exec(header);
  if (sized?.[1] !== undefined) return { status, bodyBytes: Number(sized[1]) };
  if (/\r\ntransfer-encoding: *chunked/i.test(header)) return { status, bodyBytes: null };
  throw new Error(`a response with status ${status} has neither a length nor chunks`);
}
