import { type Fault, fieldFault } from "../../core/fault.ts";
import { inputShouldBe } from "../../core/request/parsed-texts.ts";

export const MOST_INPUTS = 2_048;
/** More than any vocabulary has; a larger number is no token. */
const MOST_TOKEN = 2_147_483_647;

/**
 * What is to be embedded. `sizes`: the most tokens that each input comes to, markers of its beginning and end apart: a token is a byte of
 * UTF-8 at least, and a list of tokens is as long as it is.
 */
export type EmbeddingsInput = { kind: "texts" | "tokens"; sizes: readonly number[]; texts: readonly string[] };

/** A text, a list of texts, a list of tokens, or a list of such lists. */
export function readInput(value: unknown): EmbeddingsInput {
  if (typeof value === "string") return ofTexts([value], () => "input");
  if (!Array.isArray(value)) throw fieldFault("input", inputShouldBe("a string or an array"));
  const items: readonly unknown[] = value;
  const [first] = items;
  if (items.length === 0) throw fieldFault("input", "List should have at least 1 item");
  if (typeof first === "number") return { kind: "tokens", sizes: [tokensIn(items, "input")], texts: [] };
  if (items.length > MOST_INPUTS) {
    throw fieldFault("input", `List should have at most ${MOST_INPUTS.toLocaleString("en-US")} items`);
  }
  if (typeof first === "string") return ofTexts(items, (index) => `input.${index}`);
  if (!Array.isArray(first)) throw wrongItem(0, "a string, an integer or an array of integers");
  const sizes = items.map((item, index) => {
    if (!Array.isArray(item)) throw wrongItem(index, "an array of integers, as the first item is");
    if (item.length === 0) throw fieldFault(`input.${index}`, "List should have at least 1 item");
    return tokensIn(item, `input.${index}`);
  });
  return { kind: "tokens", sizes, texts: [] };
}

function ofTexts(items: readonly unknown[], pathOf: (index: number) => string): EmbeddingsInput {
  const texts = items.map((item, index) => {
    if (typeof item !== "string") throw wrongItem(index, "a string, as the first item is");
    if (item === "") throw fieldFault(pathOf(index), "String should have at least 1 character");
    return item;
  });
  return { kind: "texts", sizes: texts.map((text) => Buffer.byteLength(text)), texts };
}

function tokensIn(list: readonly unknown[], path: string): number {
  const wrong = list.findIndex((token) => !isToken(token));
  if (wrong !== -1) {
    const most = MOST_TOKEN.toLocaleString("en-US");
    throw fieldFault(`${path}.${wrong}`, inputShouldBe(`a token: an integer from 0 to ${most}`));
  }
  return list.length;
}

const isToken = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKEN;

const wrongItem = (index: number, words: string): Fault => fieldFault(`input.${index}`, inputShouldBe(words));
