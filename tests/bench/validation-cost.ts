/**
 * What it costs to take a body of 1 MiB: the bounds, the parse, the places of its members, the check against the schema. Prints
 * microseconds of processor time per body, garbage collection included, beside those of `JSON.parse` alone, for several shapes
 * of body and all request formats.
 * Usage: node tests/bench/validation-cost.ts [rounds]
 */
import { Fault } from "../../src/core/fault.ts";
import { readChatRequest } from "../../src/wire/chat/chat-request.ts";
import { type ParsedBody, parseBody } from "../../src/wire/json/parse-body.ts";
import { readMessagesRequest } from "../../src/wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../src/wire/responses/responses-request.ts";

const ROUNDS = Number(process.argv[2] ?? 15);
const BYTES = 1_048_576;
const DEPTH = 64;

type Format = { name: string; input: string; read: (body: ParsedBody) => unknown };

const FORMATS: readonly Format[] = [
  { name: "chat", input: "messages", read: readChatRequest },
  { name: "responses", input: "input", read: readResponsesRequest },
  { name: "messages", input: "messages", read: (body) => readMessagesRequest(body, {}) },
];

/** What fills the body; each becomes the value of the input's name. */
const SHAPES: Record<string, string> = {
  "many small messages": listOf(JSON.stringify({ role: "user", content: "Hello there, how are you?" })),
  "one huge string": `[${JSON.stringify({ role: "user", content: "words and ".repeat(BYTES / 10) })}]`,
  "many small blocks": `[{"role":"user","content":${listOf('{"type":"text","text":"Hello there"}')}}]`,
  "deep nesting": listOf(`{"role":"user","content":"${"x".repeat(300)}","x":${"[".repeat(60)}${"]".repeat(60)}}`),
  "all wrong": listOf("0"),
  "too deep": `[${"[".repeat(BYTES / 2)}${"]".repeat(BYTES / 2)}]`,
};

const rows = FORMATS.flatMap((format) =>
  Object.entries(SHAPES).map(([shape, filling]) => measure(format, shape, filling)),
);
const headings = ["format", "body", "JSON.parse µs", "taken µs", "ratio", "answer"];
const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => (row[at] ?? "").length)));
for (const row of [headings, ...rows]) {
  console.log(
    row
      .map((cell, at) => (at < 2 || at > 4 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
}

function measure({ name, input, read }: Format, shape: string, filling: string): string[] {
  const bytes = Buffer.from(`{"model":"any","max_tokens":100,"${input}":${filling}}`);
  let answer = "taken";
  const alone = median(() => void JSON.parse(bytes.toString("utf8")));
  const taken = median(() => {
    try {
      read(parseBody(bytes, DEPTH));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      answer = `refused: ${error.message}`;
    }
  });
  return [name, shape, alone.toFixed(0), taken.toFixed(0), (taken / alone).toFixed(2), answer];
}

function median(work: () => void): number {
  work();
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
}

function listOf(item: string): string {
  return `[${Array(Math.floor(BYTES / (item.length + 1)))
    .fill(item)
    .join(",")}]`;
}
