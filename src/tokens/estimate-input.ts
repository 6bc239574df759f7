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

const QUOTE = 0x22;
const COMMA = 0x2c;
/** What may stand between a member's name and its value. */
const BETWEEN = Buffer.from(": \t\n\r");

/** Members that hold base64 and nothing else, and those that hold it as an address. */
const DATA_MEMBERS = ["data"].map(quoted);
const ADDRESS_MEMBERS = ["url", "image_url", "file_data"].map(quoted);
const ADDRESS_START = Buffer.from('"data:');
const ADDRESS_END = Buffer.from(";base64,");
const LONGEST_ADDRESS_START = 256;

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
  const ranges: Range[] = [];
  let seen = 0;
  // A run that is long enough lies on at least one of these places, so what is between them is read only where it may be one.
  for (let at = 0; at < body.length; at += SHORTEST_MEDIA_BYTES) {
    if (at < seen || !isBase64(body, at)) continue;
    let start = at;
    let end = at + 1;
    while (isBase64(body, start - 1)) start--;
    while (isBase64(body, end)) end++;
    seen = end;
    if (end - start >= SHORTEST_MEDIA_BYTES && isCarried(body, start)) ranges.push({ start, end });
  }
  return ranges;
}

/** Whether the run of base64 that begins here is the value of a member in which a format carries media. */
function isCarried(body: Buffer, start: number): boolean {
  if (body[start - 1] === QUOTE) return isValueOf(body, start - 1, DATA_MEMBERS);
  if (body[start - 1] !== COMMA || !endsWith(body, start, ADDRESS_END)) return false;
  const limit = start - LONGEST_ADDRESS_START;
  let quote = start - ADDRESS_END.length - 1;
  while (quote > limit && quote >= 0 && body[quote] !== QUOTE) quote--;
  return endsWith(body, quote + ADDRESS_START.length, ADDRESS_START) && isValueOf(body, quote, ADDRESS_MEMBERS);
}

/** Whether the text that opens at this quote belongs to one of these members; a quote within a text belongs to none. */
function isValueOf(body: Buffer, quote: number, members: readonly Buffer[]): boolean {
  let end = quote;
  while (BETWEEN.includes(body[end - 1] ?? QUOTE)) end--;
  return end < quote && members.some((member) => endsWith(body, end, member));
}

const endsWith = (body: Buffer, end: number, text: Buffer): boolean =>
  end >= text.length && body.subarray(end - text.length, end).equals(text);

function quoted(name: string): Buffer {
  return Buffer.from(`"${name}"`);
}

const isBase64 = (body: Buffer, at: number): boolean => BASE64[body[at] ?? QUOTE] === 1;

/** The letters of base64 in both alphabets, and the slash as JSON may escape it. */
const BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=_\\-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
