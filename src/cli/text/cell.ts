/** A label is whatever somebody wrote: it must neither break a line nor command the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "�");

const FIGURE = /^(-?)(\d+)(\.\d+)?$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})\.\d{3}Z$/;

/** A figure with separators: 1,234,567.5. Any other text stays. */
export const grouped = (text: string | number): string =>
  String(text).replace(
    FIGURE,
    (_, sign: string, whole: string, rest: string | undefined) =>
      `${sign}${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")}${rest ?? ""}`,
  );

/** A count with its noun: 1 key, 1,200 keys. */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A moment without its milliseconds: 2027-01-31 18:00:00Z. Any other text stays. */
export const shortMoment = (text: string): string => text.replace(MOMENT, "$1 $2Z");

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const lettersOf = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment);
const letterWidth = (letter: string): number => (WIDE.test(letter) ? 2 : 1);

/** Columns that a text takes on a terminal. */
export const widthOf = (text: string): number =>
  /^[\x20-\x7E]*$/.test(text) ? text.length : lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);

/** The beginning of a text, with … where the rest was. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const letter of lettersOf(text)) {
    used += letterWidth(letter);
    if (used > width) break;
    kept += letter;
  }
  return `${kept}…`;
}
