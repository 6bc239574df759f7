import { type CheckGroup, GROUPS, type Status } from "../../doctor/check.ts";
import type { Report, ReportedCheck } from "../../doctor/examine.ts";
import { counted, printable, widthOf } from "./cell.ts";
import { PLAIN, type Screen, type Tone } from "./screen.ts";

const MARKS: Record<Status, { word: string; tone: Tone }> = {
  ok: { word: "ok", tone: "good" },
  warning: { word: "warn", tone: "caution" },
  failed: { word: "FAIL", tone: "bad" },
  skipped: { word: "skip", tone: "secondary" },
};
const MARK_WIDTH = 4;
const NARROWEST = 40;

export const doctorView = ({ ok, counts, checks }: Report): object => ({
  ok,
  counts: { ok: counts.ok, warning: counts.warning, failed: counts.failed, skipped: counts.skipped },
  checks: checks.map(({ id, title, status, message, fix }) => ({ id, title, status, message, fix })),
});

/** One line per finding under its group, its fix below it, and the sum at the end, where the eye is. */
export function doctorText({ ok, counts, checks }: Report, screen: Screen = PLAIN): string {
  const width = Math.max(...checks.map(({ title }) => widthOf(title)));
  const groups = [...new Set(checks.map(({ group }) => group))];
  const sections = groups.map((group: CheckGroup) =>
    [
      screen.paint("heading", GROUPS[group]),
      ...gathered(checks.filter((check) => check.group === group)).flatMap((check) => linesOf(check, width, screen)),
    ].join("\n"),
  );
  const sum = [
    counts.failed > 0 && screen.paint("bad", `${counts.failed} failed`),
    counts.warning > 0 && screen.paint("caution", counted(counts.warning, "warning")),
    screen.paint("good", `${counts.ok} ok`),
    counts.skipped > 0 && screen.paint("secondary", `${counts.skipped} skipped`),
  ].filter((part) => part !== false);
  const verdict = ok ? (counts.warning > 0 ? "No check failed" : "All is well") : "Something is broken";
  return [...sections, `${screen.paint("heading", verdict)}: ${sum.join(", ")}.`].join("\n\n");
}

type Line = Pick<ReportedCheck, "title" | "status" | "message" | "fix">;

/** What was skipped for one reason is one line: the reason is what matters. */
function gathered(checks: readonly ReportedCheck[]): Line[] {
  const reasonOf = ({ status, message }: Line): string | null =>
    status === "skipped" && message.startsWith("needs ") ? message : null;
  return checks.flatMap((check, index) => {
    const reason = reasonOf(check);
    const alike = checks.filter((other) => reason !== null && reasonOf(other) === reason);
    if (alike.length < 2) return [check];
    if (checks.indexOf(alike[0] as ReportedCheck) !== index) return [];
    const titles = alike.map(({ title }) => title).join(", ");
    return [{ ...check, title: `${alike.length} checks`, message: `${reason}: ${titles}` }];
  });
}

function linesOf({ title, status, message, fix }: Line, width: number, screen: Screen): string[] {
  const { word, tone } = MARKS[status];
  const head = `  ${screen.paint(tone, word)}${" ".repeat(MARK_WIDTH - word.length)}  ${title}${" ".repeat(width - widthOf(title))}  `;
  const indent = 2 + MARK_WIDTH + 2 + width + 2;
  const room = screen.columns === null ? null : Math.max(NARROWEST, screen.columns - indent);
  const under = (text: string): string => " ".repeat(indent) + text;
  const said = message.split("\n").flatMap((line) => wrap(printable(line.trim()), room));
  const shown = status === "skipped" ? said.map((line) => screen.paint("secondary", line)) : said;
  const mend = fix === null ? [] : wrap(`fix: ${printable(fix)}`, room);
  return [
    head + (shown[0] ?? ""),
    ...shown.slice(1).map(under),
    ...mend.map((line, index) => under(index === 0 ? line.replace("fix:", screen.paint("heading", "fix:")) : line)),
  ].map((line) => line.trimEnd());
}

/** Lines of whole words. A word that is longer than a line stays whole: it may have to be copied. */
function wrap(text: string, room: number | null): string[] {
  if (room === null) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
