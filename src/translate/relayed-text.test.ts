import fc from "fast-check";
import { expect, test } from "vitest";
import { chatUntouched } from "./chat/untouched.ts";
import { messagesUntouched } from "./messages/untouched.ts";
import { responsesUntouched } from "./responses/untouched.ts";
import { requestOf } from "../../tests/translation/request-of.ts";

const named = (data: { type: string } & object): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Events of each format that carry a text, or two, or none, and how they are counted when each comes alone. */
const FORMATS = {
  chat: {
    stage: () => chatUntouched.stage(requestOf("chat")),
    event: (text: string, kind: number, n: number): string => {
      const delta = [
        { content: text },
        { reasoning_content: text },
        { content: text, refusal: "no" },
        {},
        { content: text },
      ][kind];
      return `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta }], ...(kind === 4 ? { n } : {}) })}\n\n`;
    },
  },
  messages: {
    stage: () => messagesUntouched.stage(requestOf("messages")),
    event: (text: string, kind: number, index: number): string => {
      const delta = [
        { type: "text_delta", text },
        { type: "thinking_delta", thinking: text },
        { type: "input_json_delta", partial_json: text },
      ][kind % 3];
      return kind === 3
        ? named({ type: "ping" })
        : named({ type: "content_block_delta", index: kind === 4 ? index : 0, delta } as never);
    },
  },
  responses: {
    stage: () => responsesUntouched.stage(requestOf("responses")),
    event: (delta: string, kind: number, n: number): string => {
      const type = ["output_text", "reasoning_summary_text", "function_call_arguments", "refusal", "output_text"][kind];
      return named({
        type: `response.${type}.delta`,
        sequence_number: n,
        item_id: "i",
        delta,
        ...(kind === 4 ? { n } : {}),
      } as never);
    },
  },
};

test.each(Object.entries(FORMATS))(
  "of a %s stream, the same is counted as if every event came alone",
  (_, { stage, event }) => {
    const piece = fc.tuple(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("word", " a", "\n", '"', "")),
      fc.constantFrom(0, 0, 0, 1, 2, 3, 4),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const together = stage();
        let text = "";
        let length = 0;
        let thoughtBytes = 0;
        for (const [n, [said, kind]] of pieces.entries()) {
          const bytes = Buffer.from(event(said, kind, n));
          const before = Buffer.from("data: x\n\n");
          expect(together.event(Buffer.concat([before, bytes]), before.length, before.length + bytes.length)).toBe(1);
          const alone = stage();
          alone.event(bytes, 0, bytes.length);
          text += alone.delivered.text();
          length += alone.delivered.length;
          thoughtBytes += alone.delivered.thoughtBytes;
        }
        expect({ length: together.delivered.length, thoughtBytes: together.delivered.thoughtBytes }).toEqual({
          length,
          thoughtBytes,
        });
        if (text.isWellFormed()) expect(together.delivered.text()).toBe(text);
      }),
    );
  },
);
