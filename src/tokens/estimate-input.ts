import { estimateTokens } from "./estimate-tokens.ts";

/** What the input of a request comes to in tokens, before anybody has counted it. */
export type InputEstimate = {
  likely: number;
  /** No tokenizer makes more of it. */
  most: number;
};

const SHORTEST_MEDIA_BYTES = 1_024;
const LEAST_MEDIA_TOKENS = 2_000;
/** A page of a scanned document is some 100 kB and costs some 1,500 tokens; photographs cost less for their size. */
const LIKELY_BYTES_PER_TOKEN = 64;
const LEAST_BYTES_PER_TOKEN = 8;

const BASE64_MARK = Buffer.from(";base64,");
const DATA_MEMBER = Buffer.from('"data"');
const SPACE = 0x20;
const COLON = 0x3a;
const QUOTE = 0x22;

/**
 * Estimates a request's body. Pictures and documents travel in it as long runs of base64, which providers price by what they
 * show and not by their letters; counted as text, one photograph would reserve more than most balances hold. Only the values
 * in which formats carry them count as such: a run of base64 in a prompt is text, and is charged as text.
 */
export function estimateInput(body: Buffer): InputEstimate {
  const media = mediaOf(body);
  let likely = 0;
  let most = 0;
  let at = 0;
  for (const { start, end } of media) {
    likely += estimateTokens(body.subarray(at, start)) + mediaTokens(end - start, LIKELY_BYTES_PER_TOKEN);
    most += start - at + mediaTokens(end - start, LEAST_BYTES_PER_TOKEN);
    at = end;
  }
  const rest = at === 0 ? body : body.subarray(at);
  return { likely: likely + estimateTokens(rest), most: most + rest.length };
}

const mediaTokens = (bytes: number, bytesPerToken: number): number =>
  Math.max(LEAST_MEDIA_TOKENS, Math.ceil(bytes / bytesPerToken));

type Range = { start: number; end: number };

function mediaOf(body: Buffer): Range[] {
  if (body.length < SHORTEST_MEDIA_BYTES) return [];
  const starts = [
    ...startsAfter(body, BASE64_MARK, (at) => at),
    ...startsAfter(body, DATA_MEMBER, (at) => textValue(body, at)),
  ];
  const ranges: Range[] = [];
  for (const start of starts.toSorted((a, b) => a - b)) {
    if (start < (ranges.at(-1)?.end ?? 0)) continue;
    const end = endOfBase64(body, start);
    if (end - start >= SHORTEST_MEDIA_BYTES) ranges.push({ start, end });
  }
  return ranges;
}

function startsAfter(body: Buffer, mark: Buffer, valueAt: (at: number) => number): number[] {
  const starts: number[] = [];
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    const start = valueAt(at + mark.length);
    if (start !== -1) starts.push(start);
  }
  return starts;
}

/** Where the text begins that is a member's value; -1 when its value is no text. */
function textValue(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === SPACE || body[at] === COLON) at++;
  return body[at] === QUOTE && at > from ? at + 1 : -1;
}

function endOfBase64(body: Buffer, start: number): number {
  let at = start;
  while (at < body.length && BASE64[body[at] as number] === 1) at++;
  return at;
}

/** The letters of base64 in both alphabets, and the slash as JSON may escape it. */
const BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=_\\-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
