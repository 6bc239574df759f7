/** Nothing that surrounds a text contains it. */
const MARK = "\u0000text\u0000";
const WRITTEN_MARK = JSON.stringify(MARK);

/** Events that differ in one text alone: what surrounds it is written once. */
export function createTextTemplate(write: (text: string) => Buffer): (text: string) => Buffer {
  const [before = "", after = ""] = write(MARK).toString("utf8").split(WRITTEN_MARK);
  return (text) => Buffer.from(before + JSON.stringify(text) + after);
}
