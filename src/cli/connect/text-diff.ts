/** One line of what changed: taken out or put in, with its number in the file it stands in. */
export type DiffLine = { sign: "-" | "+"; number: number; text: string };

/** The lines that two texts do not have in common, by the longest common sequence of lines. */
export function textDiff(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  const width = young.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === young[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < old.length || j < young.length;) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      i++;
      j++;
    } else if (
      j < young.length &&
      (i === old.length || (common[i * width + j + 1] ?? 0) > (common[(i + 1) * width + j] ?? 0))
    ) {
      lines.push({ sign: "+", number: j + 1, text: young[j++] ?? "" });
    } else lines.push({ sign: "-", number: i + 1, text: old[i++] ?? "" });
  }
  return lines;
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
const SECRET_VALUE = /((?:key|token|secret|password|auth)\w*["']?\s*[:=]\s*["']?)([^"'\s,}#]{8,})/gi;
const MOST_CHARACTERS = 160;

/** Takes secrets out of a line: values of names that sound like one, whoever put them there. */
export function withoutSecrets(text: string, ours: { key: string; shown: string }): string {
  const shown = text
    .replaceAll(ours.key, ours.shown)
    .replaceAll(SECRET_VALUE, (all, before: string, value: string) =>
      value === ours.shown || isReference(value) ? all : `${before}…`,
    );
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}…` : shown;
}

const isReference = (value: string): boolean => value === "TOLLGATE_KEY" || /^\{(?:env|file):/.test(value);
