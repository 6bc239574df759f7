import type { Page } from "../../core/page.ts";
import { type Screen, screenOf } from "./screen.ts";

type Result = { json: boolean; text: (screen: Screen) => string };

/** Writes a command's result: as data with `--json`, which has no colour, else as a person reads it. */
export function printResult(value: unknown, { json, text }: Result): void {
  const output = json ? JSON.stringify(value, null, 2) : text(screenOf(process.stdout));
  printText(output);
}

export const printText = (output: string): void => {
  process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
};

type WholeList<Row> = {
  head: string;
  list: (after: string | null) => Promise<Page<Row>>;
  line: (row: Row) => string;
};

/** Writes a list to its end, page by page as fast as it is read, so that no length of it needs memory. */
export async function printWhole<Row>({ head, list, line }: WholeList<Row>): Promise<void> {
  await written(head);
  for (let after: string | null = null; ;) {
    const page = await list(after);
    await written(page.data.map(line).join(""));
    if (page.next === null) return;
    after = page.next;
  }
}

const written = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
