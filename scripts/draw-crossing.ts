/**
 * Draws `docs/explain/crossing.svg` by sending one answer of a chat provider through the translation to a client of messages, so
 * that the picture shows what it does. With `--check` nothing is written: it fails when the picture and the code differ.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chatProvider } from "../src/translate/chat/sides.ts";
import { messagesClient } from "../src/translate/messages/sides.ts";
import { type AnswerEvent, createFold } from "../src/translate/form/answer-form.ts";
import type { Json } from "../src/core/bytes/json.ts";
import { objectOf, objectsOf, textOf } from "../src/translate/form/read-json.ts";

const PICTURE = join(import.meta.dirname, "../docs/explain/crossing.svg");
const WIDTH = 1120;
const TOP = 74;
const LINE = 19;
const GAP = 9;
const COLUMNS = [
  { left: 24, title: "Provider sends", below: "chat completions" },
  { left: 392, title: "Internal form", below: "numbered blocks" },
  { left: 716, title: "Client receives", below: "messages" },
];
const WIDTHS = [352, 308, 384];

const call = (index: number, rest: Json): Json => ({ tool_calls: [{ index, ...rest }] });
const begun = (index: number, name: string): Json =>
  call(index, { id: `call_${name}`, type: "function", function: { name, arguments: "" } });
const grown = (index: number, text: string): Json => call(index, { function: { arguments: text } });

/** Two calls written in turns, as several providers do, and a prompt that was mostly cached. */
const CHUNKS: Json[] = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
  ...[
    { content: "One moment." },
    begun(0, "weather"),
    begun(1, "time"),
    grown(0, '{"city":'),
    grown(1, '{"zone":'),
    grown(0, '"Oslo"}'),
    grown(1, '"CET"}'),
  ].map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  {
    choices: [],
    usage: {
      prompt_tokens: 120,
      completion_tokens: 31,
      total_tokens: 151,
      prompt_tokens_details: { cached_tokens: 100 },
    },
  },
];

type Row = { said: string; meant: string[]; heard: string[] };

const rows = translate();
const heights = rows.map(({ meant, heard }) => Math.max(1, meant.length, heard.length) * LINE + GAP);
const height = TOP + heights.reduce((sum, each) => sum + each, 0) + 52;

function translate(): Row[] {
  const reader = chatProvider.reader({ model: "m" });
  const { answer, add } = createFold();
  const name = {
    id: "1",
    model: "m",
    createdAtSeconds: 0,
    usageWanted: true,
    echo: () => ({}),
    mentions: () => false,
    bodyBytes: 0,
    seal: () => "",
  };
  const writer = messagesClient.writer(name, answer);
  const tell = (events: readonly AnswerEvent[]): string[] =>
    events.flatMap((event) => {
      add(event);
      return writer.write(event).map((bytes) => heardAs(bytes));
    });
  const bytesOf = (chunk: Json | "[DONE]"): Buffer =>
    Buffer.from(
      `data: ${chunk === "[DONE]" ? chunk : JSON.stringify({ id: "c", object: "chat.completion.chunk", ...chunk })}\n\n`,
    );

  const told = CHUNKS.map((chunk): Row => {
    const events = reader.read(bytesOf(chunk)) ?? [];
    return { said: saidAs(chunk), meant: events.map((event) => meantAs(event)), heard: tell(events) };
  });
  reader.read(bytesOf("[DONE]"));
  const events = reader.close() ?? [];
  const heard = tell(events);
  const { rest, terminal } = writer.close(reader.usage());
  const last = [...heard, ...[...rest, terminal].map((bytes) => heardAs(bytes))];
  return [...told, { said: "[DONE]", meant: events.map((event) => meantAs(event)), heard: last }];
}

function saidAs({ choices, usage }: Json): string {
  const [choice] = objectsOf(choices);
  if (choice === undefined) {
    const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = objectOf(usage);
    return `usage ${String(input)} in, ${String(objectOf(details)["cached_tokens"])} of them cached, ${String(output)} out`;
  }
  if (choice["finish_reason"] !== null) return `finish_reason ${textOf(choice["finish_reason"])}`;
  const { role, content, tool_calls: calls } = objectOf(choice["delta"]);
  const [first] = objectsOf(calls);
  if (first === undefined) return role === undefined ? `content ${textOf(content)}` : `role ${textOf(role)}`;
  const { name, arguments: text } = objectOf(first["function"]);
  return `tool_calls[${String(first["index"])}] ${name === undefined ? textOf(text) : textOf(name)}`;
}

function meantAs(event: AnswerEvent): string {
  const index = "index" in event ? `block ${event.index}` : "";
  if (event.kind === "block-started") {
    return `${index} begins: ${event.block.kind === "tool_call" ? `call ${event.block.name}` : event.block.kind}`;
  }
  if (event.kind === "block-grew") return `${index}: ${event.text}`;
  if (event.kind === "block-stopped") return `${index} ends`;
  return event.kind === "answer-stopped" ? `the answer ends: ${event.stop.reason}` : event.kind.replace("-", " ");
}

function heardAs(bytes: Buffer): string {
  const data = JSON.parse(/^data: (.*)$/m.exec(bytes.toString())?.[1] ?? "{}") as Json;
  const [type, index] = [textOf(data["type"]), typeof data["index"] === "number" ? ` ${data["index"]}` : ""];
  const block = objectOf(data["content_block"]);
  const delta = objectOf(data["delta"]);
  const usage = objectOf(data["usage"]);
  if (type === "content_block_start") return `${type}${index} ${textOf(block["type"])} ${textOf(block["name"])}`;
  if (type === "content_block_delta") return `${type}${index} ${textOf(delta["text"] ?? delta["partial_json"])}`;
  if (type !== "message_delta") return `${type}${index}`;
  return `${type} ${textOf(delta["stop_reason"])}: ${String(usage["input_tokens"])} in + ${String(usage["cache_read_input_tokens"])} cached, ${String(usage["output_tokens"])} out`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Blocks keep a colour from column to column, so that an eye can follow them. */
function toneOf(text: string): string {
  const block = /^block (\d)|^content_block_\w+ (\d)|^tool_calls\[(\d)\]/.exec(text);
  if (block === null) return text.startsWith("content ") ? "b0" : "plain";
  return block[3] === undefined ? `b${block[1] ?? block[2] ?? ""}` : `b${Number(block[3]) + 1}`;
}

function column(lines: readonly string[], at: number, top: number): string {
  return lines
    .map((line, index) => {
      const [x, y] = [COLUMNS[at]?.left ?? 0, top + index * LINE];
      return `<rect class="${toneOf(line)}" x="${x}" y="${y}" width="${WIDTHS[at] ?? 0}" height="${LINE - 2}" rx="3"/><text class="code" x="${x + 8}" y="${y + 13}">${escaped(line)}</text>`;
    })
    .join("");
}

let top = TOP;
const body = rows
  .map(({ said, meant, heard }, index) => {
    const y = top;
    top += heights[index] ?? 0;
    const rule = `<line class="rule" x1="24" y1="${top - GAP / 2 - 1}" x2="${WIDTH - 20}" y2="${top - GAP / 2 - 1}"/>`;
    return `${column([said], 0, y)}${column(meant, 1, y)}${column(heard, 2, y)}${rule}`;
  })
  .join("\n");
const heads = COLUMNS.map(
  ({ left, title, below }) =>
    `<text class="head" x="${left}" y="34">${title}</text><text class="quiet" x="${left}" y="54">${below}</text>`,
).join("");

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="A streamed answer of a chat completions provider with two interleaved tool calls: as the provider sends it, in the internal form, and as a messages client receives it">
<style>
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.head{font-size:16px;font-weight:600}.quiet{fill:#4d5560}.code{font:12px ui-monospace,"SFMono-Regular",Menlo,Consolas,monospace}
.paper{fill:#fff}.rule{stroke:#d0d7de}.plain{fill:#eef1f4}.b0{fill:#cfe8dc}.b1{fill:#fbe0b7}.b2{fill:#cfdcf5}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#aeb8c4}.paper{fill:#0d1117}.rule{stroke:#30363d}.plain{fill:#21262d}.b0{fill:#1d4a38}.b1{fill:#5c3d10}.b2{fill:#22355c}}
</style>
<rect class="paper" width="${WIDTH}" height="${height}"/>
${heads}
${body}
<text class="quiet" x="24" y="${height - 18}">Time runs down. In the messages format one block follows the other, so the second tool call waits until the first has ended.</text>
</svg>
`;

if (process.argv.includes("--check")) {
  if (!existsSync(PICTURE) || readFileSync(PICTURE, "utf8") !== picture) {
    process.stderr.write("docs/explain/crossing.svg is not what the translation does: run scripts/draw-crossing.ts\n");
    process.exitCode = 1;
  }
} else writeFileSync(PICTURE, picture);
