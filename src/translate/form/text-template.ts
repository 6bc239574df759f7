/** Nothing that surrounds a text contains it. */
const MARK = "\u0000text\u0000";
const WRITTEN_MARK = JSON.stringify(MARK);

/** No text or number that surrounds another is written so. */
const MARKED_NUMBER = 1e300;
const WRITTEN_NUMBER = JSON.stringify(MARKED_NUMBER);

/** Events that differ in one text alone: what surrounds it is written once. */
export function createTextTemplate(write: (text: string) => Buffer): (text: string) => Buffer {
  const [before = "", after = ""] = write(MARK).toString("utf8").split(WRITTEN_MARK);
  return (text) => Buffer.from(before + JSON.stringify(text) + after);
}

/** Events that differ in one text and, behind it, one number. */
export function createNumberedTemplate(
  write: (text: string, number: number) => Buffer,
): (text: string, number: number) => Buffer {
  const [before = "", rest = ""] = write(MARK, MARKED_NUMBER).toString("utf8").split(WRITTEN_MARK);
  const [between = "", after = ""] = rest.split(WRITTEN_NUMBER);
  return (text, number) => Buffer.from(before + JSON.stringify(text) + between + String(number) + after);
}
