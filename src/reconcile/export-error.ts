/** An export that cannot be compared: what is wrong with it, and where. */
export class ExportError extends Error {
  override readonly name = "ExportError";

  constructor(place: string, problem: string) {
    super(`${printable(place)}: ${printable(problem)}`);
  }
}

const SHOWN_CHARACTERS = 300;

/** What a stranger's file says must not command the terminal that it is told on. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "�").slice(0, SHOWN_CHARACTERS);
