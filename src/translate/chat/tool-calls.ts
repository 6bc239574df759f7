import type { AnswerEvent } from "../form/answer-form.ts";
import type { createBlockNumbers } from "../form/block-numbers.ts";
import { createCallNumbers } from "../form/tools/call-numbers.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, textOf } from "../form/read-json.ts";

type Call = { block: string; id: string; name: string; started: boolean; held: string };

/** The calls of a chat stream as blocks, each by itself. */
export function createToolCalls(blocks: ReturnType<typeof createBlockNumbers<string>>) {
  const numberOf = createCallNumbers();
  const calls: Call[] = [];

  /** A name may come late; what is said before it is kept until there is a call to say it in. */
  function begin(call: Call): AnswerEvent[] {
    call.started = true;
    const id = call.id === "" ? `call_${call.block.slice(5)}` : call.id;
    const events = blocks.start(call.block, { kind: "tool_call", id, name: call.name });
    return [...events, ...blocks.grow(call.block, call.held)];
  }

  return {
    read: (given: Json): AnswerEvent[] => {
      const number = numberOf(given);
      const call = (calls[number] ??= { block: `call ${number}`, id: "", name: "", started: false, held: "" });
      if (call.id === "") call.id = textOf(given["id"]);
      const { name, arguments: text } = objectOf(given["function"]);
      if (!call.started && call.name === "") call.name = textOf(name);
      const said = typeof text === "string" ? text : text === undefined || text === null ? "" : JSON.stringify(text);
      if (call.started) return blocks.grow(call.block, said);
      call.held += said;
      return call.name === "" ? [] : begin(call);
    },
    /** What has been said in a call that never got a name is told without one, for whoever reads this to see. */
    close: (): AnswerEvent[] => calls.flatMap((call) => (call.started || call.held === "" ? [] : begin(call))),
  };
}
