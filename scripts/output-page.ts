import { CHAT_OUTPUT } from "../src/translate/chat/generated.ts";
import { type OutputMembers, WHY } from "../src/translate/collect-generated.ts";
import { GEMINI_OUTPUT } from "../src/translate/gemini/generated.ts";
import { MESSAGES_OUTPUT } from "../src/translate/messages/generated.ts";
import { RESPONSES_OUTPUT } from "../src/translate/responses/generated.ts";

const FORMATS: [title: string, tables: readonly OutputMembers[]][] = [
  ["Chat completions", CHAT_OUTPUT],
  ["Responses", RESPONSES_OUTPUT],
  ["Messages", MESSAGES_OUTPUT],
  ["Gemini", GEMINI_OUTPUT],
];

/** Which members of an answer do not count as output, by format and reason. */
export const outputPage = (generated: string): string =>
  [
    "# What counts as output",
    "",
    "For operators and key holders who check a charge.",
    "",
    generated,
    "",
    "A provider's final usage stands, unless it counts no output for an answer that has some. If a stream ends without it, for example because the client",
    "disconnects, the gateway counts the output itself: everything in the provider's events, once, except the fields below. A field that is not listed counts, with all that is inside it.",
    "Why it is so: [decision 0042](../decisions/0042-what-is-not-known-to-be-free-counts.md).",
    "",
    "A name may be free in one place of a format and count in another: `content` counts in a message, and does not in the result of a tool that the provider ran.",
    ...FORMATS.flatMap(([title, tables]) => [
      "",
      `## ${title}`,
      "",
      "| Reason | Fields |",
      "|---|---|",
      ...Object.values(WHY)
        .filter((why) => why !== WHY.apart)
        .flatMap((why) => rowOf(why, tables)),
    ]),
    "",
  ].join("\n");

function rowOf(why: string, tables: readonly OutputMembers[]): string[] {
  const names = tables.flatMap((table) =>
    Object.entries(table).flatMap(([name, { free }]) => (free === why ? [name] : [])),
  );
  const listed = [...new Set(names)].sort().map((name) => `\`${name}\``);
  return listed.length === 0 ? [] : [`| ${why} | ${listed.join(", ")} |`];
}
