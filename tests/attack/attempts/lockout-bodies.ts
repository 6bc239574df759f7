import type { LockoutAttempt } from "../attempt.ts";
import type { Format, Json } from "../formats.ts";
import { bodyOf } from "../formats.ts";
import { repeated } from "./crowds.ts";

const MIB = 1024 * 1024;
const RICH = "1000";
const big = { habit: { tokens: 3, rate: 0 }, contextWindow: 50_000_000 };
const onlyChat = { ...big, dialects: ["chat"] as const };

type Heavy = {
  name: string;
  tries: string;
  caller?: Format;
  credit?: string;
  path?: string;
  headers?: Record<string, string>;
  model?: LockoutAttempt["model"];
  callers?: number;
  body: (model: string, scale: number) => Json | string;
};

const text = (model: string, content: string, caller: Format = "chat"): Json =>
  bodyOf(caller, { model, limit: 5, prompt: content });

const tools = (count: number, make: (index: number) => Json): Json[] =>
  Array.from({ length: count }, (_, index) => make(index));

const HEAVY: readonly Heavy[] = [
  {
    name: "text of 32 MiB",
    tries: "Sends bodies of almost 32 MiB that are one long text.",
    body: (model, scale) => text(model, "word ".repeat((6.3 * MIB * scale) | 0)),
  },
  {
    name: "text of 32 MiB in other scripts",
    tries: "Sends bodies of almost 32 MiB in a script with three bytes per letter.",
    body: (model, scale) => text(model, "漢".repeat((10.4 * MIB * scale) | 0)),
  },
  {
    name: "text of 32 MiB in JSON escapes",
    tries: "Sends bodies of almost 32 MiB in which every letter is a JSON escape.",
    body: (model, scale) =>
      JSON.stringify(text(model, "LETTERS")).replace("LETTERS", String.raw`\u0041`.repeat((5.2 * MIB * scale) | 0)),
  },
  {
    name: "counting tokens of 32 MiB without money",
    tries: "Counts tokens of 32 MiB bodies with a key that has no money.",
    caller: "messages",
    path: "/v1/messages/count_tokens",
    credit: "0",
    body: (model, scale) => ({ model, messages: [{ role: "user", content: "word ".repeat((6.3 * MIB * scale) | 0) }] }),
  },
  {
    name: "marks of the gateway's own",
    tries: "Sends texts of 1.6 MiB full of the mark that the gateway's seals begin with.",
    caller: "messages",
    body: (model, scale) => text(model, "tollgate. ".repeat((160_000 * scale) | 0), "messages"),
  },
  {
    name: "a mark and many messages",
    tries: "Sends 30,000 messages, one of them with the mark that the gateway's seals begin with.",
    caller: "messages",
    body: (model, scale) => ({
      model,
      max_tokens: 5,
      messages: [
        { role: "user", content: "tollgate.responses.e30" },
        ...tools((30_000 * scale) | 0, (index) => ({
          role: index % 2 === 0 ? "assistant" : "user",
          content: [{ type: "text", text: "x" }],
        })),
      ],
    }),
  },
  {
    name: "30,000 messages across formats",
    tries: "Sends 30,000 messages to a provider of another format.",
    caller: "messages",
    model: onlyChat,
    body: (model, scale) => ({
      model,
      max_tokens: 5,
      messages: tools((30_000 * scale) | 0, (index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: [{ type: "text", text: "x" }],
      })),
    }),
  },
  {
    name: "30,000 tools across formats",
    tries: "Sends 30,000 tools with long names to a provider of another format.",
    caller: "responses",
    model: onlyChat,
    body: (model, scale) => ({
      model,
      max_output_tokens: 5,
      input: "hi",
      tools: tools((30_000 * scale) | 0, (index) => ({
        type: "function",
        name: "é".repeat(30) + index,
        parameters: {},
      })),
    }),
  },
  {
    name: "tools of 250,000 values",
    tries: "Sends tools whose schemas have as many values as a body may have.",
    body: (model, scale) => ({
      ...text(model, "hi"),
      tools: tools((12_000 * scale) | 0, (index) => ({
        type: "function",
        function: { name: `f${index}`, parameters: { a: 1, b: 2, c: [1, 2, 3, 4, 5, 6], d: { e: 1, f: 2 } } },
      })),
    }),
  },
  {
    name: "120,000 names",
    tries: "Sends metadata with 120,000 names.",
    body: (model, scale) => ({
      ...text(model, "hi"),
      metadata: Object.fromEntries(
        tools((120_000 * scale) | 0, (index) => ({ index })).map((_, index) => [`k${index}`, 1]),
      ),
    }),
  },
  {
    name: "endless brackets",
    tries: "Sends 8 MiB of opening brackets.",
    body: (_model, scale) => "[".repeat((8 * MIB * scale) | 0),
  },
  {
    name: "8 MiB of text across formats",
    tries: "Sends 8 MiB of text to a provider of another format.",
    caller: "messages",
    model: onlyChat,
    body: (model, scale) => text(model, "word ".repeat((1.6 * MIB * scale) | 0), "messages"),
  },
  {
    name: "text without a break",
    tries: "Sends a megabyte of one letter, which is the tokenizer's worst case, near the edge of the window.",
    model: { habit: { tokens: 3, rate: 0 }, contextWindow: 300_000 },
    body: (model, scale) => text(model, "a".repeat((MIB * scale) | 0)),
  },
  {
    name: "text at the edge of the window",
    tries: "Sends prompts that may or may not fit the window, so that they have to be counted.",
    model: { habit: { tokens: 3, rate: 0 }, contextWindow: 128_000 },
    body: (model, scale) => text(model, "supercalifragilistic expialidocious ".repeat((14_000 * scale) | 0)),
  },
  {
    name: "a compressed body",
    tries: "Sends bodies that say they are compressed.",
    headers: { "content-encoding": "gzip" },
    callers: 20,
    body: (model) => text(model, "hi"),
  },
  {
    name: "a flood of bad JSON",
    tries: "Sends bodies that are not JSON as fast as twenty callers can.",
    callers: 20,
    body: () => '{"model": "x", "messages": [{"role": "user", "content": "hi"',
  },
];

/** Bodies that are much work to read. */
export const BODIES: readonly LockoutAttempt[] = HEAVY.map(
  ({ name, tries, caller = "chat", credit = RICH, path, headers, model = big, callers = 2, body }) => ({
    kind: "lockout",
    name,
    tries,
    model,
    run: (attack) =>
      repeated(attack, {
        caller,
        callers,
        credit,
        body: (id) => body(id, attack.scale),
        ...(path !== undefined && { path }),
        ...(headers !== undefined && { headers }),
      }),
  }),
);
