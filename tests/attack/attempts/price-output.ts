import { setTimeout as sleep } from "node:timers/promises";
import { CROSSED, type LaneStage, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import { wordsIn } from "../client.ts";
import { type Format, FORMATS, type Json } from "../formats.ts";
import type { Habit } from "../provider/habit.ts";
import { FAILED_AFTER_CONTENT, untilRefused } from "./moves.ts";

const TEXT = "%TEXT%";
/** Other than the piece before. */
const NUMBERED = `%PLACE%.${TEXT}`;
const MANY = 1_000;
const BOTH = [...STRAIGHT, ...CROSSED];
/** What a crossing leaves out cannot be waited for. */
const DELIVERED_MS = 1_500;

type Events = Habit["events"];

const delta = (more: Json): Json => ({ choices: [{ index: "%CHOICE%", delta: more, finish_reason: null }] });
const at = { item_id: "msg_1", output_index: 0, content_index: 0, sequence_number: 3 };
const item = (more: Json): Json => ({
  type: "response.output_item.done",
  sequence_number: 3,
  output_index: "%PLACE%",
  item: { id: "item_%PLACE%", status: "completed", ...more },
});
const block = (more: Json): Json => ({ type: "content_block_start", index: "%PLACE%", content_block: more });
const blockDelta = (more: Json): Json => ({ type: "content_block_delta", index: 0, delta: more });

const PLAIN: Events = Object.fromEntries(FORMATS.map((format) => [format, [`data: ${TEXT}\n\n`]]));

type Place = Omit<PriceAttempt, "kind" | "lanes" | "model" | "run"> & {
  lanes?: PriceAttempt["lanes"];
  events: Events;
  habit?: Partial<Habit>;
  extra?: Json;
};

/** Where a provider can put what its model writes. A format without a row has no such place. */
const PLACES: readonly Place[] = [
  {
    name: "output in unknown fields",
    long: true,
    tries: "Disconnects from a provider that writes its text in fields that no format has.",
    events: {
      chat: [delta({ x_note: TEXT })],
      responses: [{ type: "response.output_text.delta", ...at, delta: "", x_note: TEXT }],
      messages: [blockDelta({ type: "text_delta", text: "", x_note: TEXT })],
    },
  },
  {
    name: "output in unknown events",
    tries: "Disconnects from a provider that writes its text in events that no format has.",
    events: {
      chat: [{ x_thread: { piece: TEXT } }],
      responses: [{ type: "response.x_thread.progress", body: { piece: TEXT } }],
      messages: [{ type: "x_thread_progress", body: { piece: TEXT } }],
    },
  },
  {
    name: "output in events that are not JSON",
    long: true,
    tries: "Disconnects from a provider that sends text as it is, where an event should be.",
    lanes: STRAIGHT,
    events: PLAIN,
  },
  {
    name: "output in nested lists",
    long: true,
    tries: "Disconnects from a provider that nests its text in lists of lists.",
    events: {
      chat: [delta({ content: [[[TEXT]]] })],
      responses: [item({ type: "message", role: "assistant", content: [[[{ type: "output_text", text: TEXT }]]] })],
      messages: [block({ type: "text", text: [[[TEXT]]] })],
    },
  },
  {
    name: "output as numbers",
    long: true,
    tries: "Disconnects from a model that writes numbers, which the provider sends as numbers and not as text.",
    events: {
      chat: [delta({ content: "%NUMBERS%" })],
      responses: [item({ type: "x_table_call", rows: "%NUMBERS%" })],
      messages: [block({ type: "tool_use", id: "toolu_%PLACE%", name: "f", input: { rows: "%NUMBERS%" } })],
    },
  },
  {
    name: "disconnect during a refusal",
    long: true,
    tries: "Makes the model refuse at length and disconnects before the usage.",
    events: {
      chat: [delta({ refusal: TEXT })],
      responses: [{ type: "response.refusal.delta", ...at, delta: TEXT }],
    },
  },
  {
    name: "disconnect during the input of a custom tool",
    long: true,
    tries: "Makes the model write the free-form input of a custom tool and disconnects before the usage.",
    events: {
      chat: [delta({ tool_calls: [{ index: 0, id: "call_1", type: "custom", custom: { name: "f", input: TEXT } }] })],
      responses: [{ type: "response.custom_tool_call_input.delta", ...at, delta: TEXT }],
      messages: [blockDelta({ type: "custom_input_delta", custom_input: TEXT })],
    },
  },
  {
    name: "disconnect during a transcript",
    long: true,
    tries: "Lets the model speak, reads the transcript and disconnects before the usage.",
    events: {
      chat: [delta({ audio: { id: "audio_1", data: "", transcript: TEXT } })],
      responses: [{ type: "response.output_audio_transcript.delta", ...at, delta: TEXT }],
    },
  },
  {
    name: "disconnect during summaries of reasoning",
    long: true,
    tries: "Reads reasoning that comes as details, summaries or whole parts, and disconnects before the answer.",
    events: {
      chat: [delta({ reasoning_details: [{ type: "reasoning.summary", summary: TEXT, index: 0 }] })],
      responses: [
        {
          type: "response.reasoning_summary_part.done",
          sequence_number: 3,
          item_id: "rs_1",
          output_index: 0,
          summary_index: "%PLACE%",
          part: { type: "summary_text", text: TEXT },
        },
      ],
      messages: [block({ type: "thinking", thinking: TEXT, signature: "" })],
    },
  },
  {
    name: "disconnect during the code of a server tool",
    long: true,
    tries: "Makes the model write code for a tool that the provider runs, and disconnects before the usage.",
    events: {
      chat: [delta({ executed_tools: [{ index: 0, type: "python", arguments: TEXT, output: "done" }] })],
      responses: [{ type: "response.code_interpreter_call_code.delta", ...at, delta: TEXT }],
      messages: [
        block({ type: "server_tool_use", id: "srvtoolu_%PLACE%", name: "code_execution", input: { code: TEXT } }),
        block({ type: "code_execution_tool_result", tool_use_id: "srvtoolu_%PLACE%", content: { stdout: "" } }),
      ],
    },
  },
  {
    name: "output in one piece",
    long: true,
    tries: "Disconnects from a provider that sends no deltas, between the whole text and the usage.",
    habit: { burst: MANY },
    events: {
      chat: [{ choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: null }] }],
      responses: [item({ type: "message", role: "assistant", content: [{ type: "output_text", text: TEXT }] })],
      messages: [
        {
          type: "message_delta",
          delta: { stop_reason: null, content: [{ type: "text", text: TEXT }] },
        },
      ],
    },
  },
  {
    name: "output named as padding",
    long: true,
    tries: "Disconnects from a provider that writes its text in fields named as padding is elsewhere in its format.",
    events: {
      chat: [delta({ content: "", obfuscation: TEXT, p: "" })],
      responses: [item({ type: "message", role: "assistant", content: [], p: "", obfuscation: TEXT })],
      messages: [blockDelta({ type: "text_delta", text: "", p: TEXT })],
    },
  },
  {
    name: "choices with unknown fields",
    long: true,
    tries: "Requests n=4 choices with log probabilities, some of whose text stands in unknown fields, and disconnects.",
    extra: { n: 4, logprobs: true },
    habit: { holdAfter: MANY / 4 },
    events: {
      chat: [
        {
          choices: [
            { index: "%CHOICE%", delta: {}, x_note: TEXT, logprobs: { content: [{ token: "a", logprob: -1 }] } },
          ],
        },
      ],
    },
  },
  {
    name: "whole items in one place",
    tries:
      "Disconnects from a provider that sends item after item with the same index, so that each seems to repeat another.",
    events: {
      responses: [
        {
          ...item({ type: "function_call", name: "write", arguments: NUMBERED, call_id: "call_%PLACE%" }),
          output_index: 0,
        },
      ],
    },
  },
  {
    name: "pieces called messages",
    tries:
      "Disconnects from a provider that sends every piece as a whole message, so that each seems to repeat another.",
    events: {
      chat: [{ choices: [{ index: 0, message: { role: "assistant", content: NUMBERED }, finish_reason: null }] }],
      responses: [{ type: "response.output_text.done", ...at, text: NUMBERED }],
    },
  },
];

/** Waits until the client has read all that is held back for it, or the provider has sent it and the gateway had time to read it. */
async function untilDelivered({ stage, model }: LaneStage, seen: Promise<unknown>): Promise<void> {
  let over = false;
  const made = async (): Promise<void> => {
    for (; !over; await sleep(50)) {
      const [call] = await stage.calls(model);
      if (call !== undefined && call.visibleTokens >= MANY) return sleep(DELIVERED_MS);
    }
  };
  await Promise.race([seen, made()]);
  over = true;
}

const formatsOf = (events: Events): readonly Format[] => FORMATS.filter((format) => events[format] !== undefined);

/** A short prompt and a long answer in a place of its own. The client disconnects before the usage, so that the gateway has to count it. */
export const OUTPUT: readonly PriceAttempt[] = [
  ...PLACES.map(({ lanes = BOTH, events, habit, extra, ...described }): PriceAttempt => ({
    ...described,
    kind: "price",
    lanes: lanes.filter(
      ({ caller, provider }) =>
        formatsOf(events).includes(provider) && (extra === undefined || (caller === "chat" && provider === "chat")),
    ),
    model: {
      habit: { events, tokens: 2 * MANY, rate: 0, holdAfter: MANY, ...habit },
      capabilities: { reasoning: true },
    },
    run: async (lane) => {
      const stream = await lane.open(lane.body({ stream: true, limit: 2 * MANY, ...(extra && { extra }) }));
      await untilDelivered(
        lane,
        stream.readUntil((text) => wordsIn(text) >= MANY),
      );
      stream.leave();
      await stream.closed;
    },
  })),
  {
    kind: "price",
    lanes: CROSSED,
    name: "unreadable events across formats",
    tries: "Repeatedly uses a server of another format that sends text as it is, which no translation can read.",
    model: { habit: { events: PLAIN, tokens: 2 * MANY, rate: 0 } },
    credit: "0.2",
    cap: FAILED_AFTER_CONTENT,
    run: untilRefused(async ({ open, body }) => {
      const stream = await open(body({ stream: true, limit: 2 * MANY })).catch(() => null);
      await stream?.readAll();
    }),
  },
  {
    kind: "price",
    lanes: BOTH,
    name: "output that no event repeats",
    long: true,
    tries: "Uses a self-hosted server that reports no usage, and whose last events repeat nothing of the answer.",
    model: { habit: { tokens: MANY, rate: 0, usage: "none", hollow: true }, conformant: false },
    run: async ({ open, body }) => {
      const stream = await open(body({ stream: true, limit: MANY }));
      await stream.readAll();
    },
  },
];
