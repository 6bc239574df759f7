import type { AnswerEvent } from "../../form/answer-form.ts";
import type { createBlockNumbers } from "../../form/block-numbers.ts";
import { type Json, objectOf, textOf } from "../../form/read-json.ts";

type Call = { block: string; id: string; name: string; started: boolean; held: string };

/**
 * Tells the calls of a chat stream apart. Identity is by index; but some providers leave the index out, and some give every
 * call the same, so an id that differs is another call too. Those that give neither send their calls whole, each with a name.
 */
export function createToolCalls(blocks: ReturnType<typeof createBlockNumbers<string>>) {
  const byIndex = new Map<string, Call>();
  const byId = new Map<string, Call>();
  let last: Call | null = null;
  let count = 0;

  function callOf(given: Json): Call {
    const id = textOf(given["id"]);
    const index = Number.isInteger(given["index"]) ? String(given["index"]) : null;
    const known = index === null ? (id === "" ? unnamed(given) : byId.get(id)) : byIndex.get(index);
    if (known && (id === "" || known.id === "" || known.id === id)) {
      if (known.id === "") identify(known, id);
      return known;
    }
    const call: Call = { block: `call ${count}`, id, name: "", started: false, held: "" };
    byIndex.set(index ?? (id === "" ? call.block : `id ${id}`), call);
    identify(call, id);
    count++;
    return call;
  }

  function identify(call: Call, id: string): void {
    call.id = id;
    if (id !== "") byId.set(id, byId.get(id) ?? call);
  }

  /** The call that a fragment without index and id goes on with; null when it names one of its own. */
  function unnamed(given: Json): Call | null {
    const { name } = objectOf(given["function"]);
    return last !== null && last.name !== "" && textOf(name) !== "" ? null : last;
  }

  /** A name may come late; what is said before it is kept until there is a call to say it in. */
  function begin(call: Call): AnswerEvent[] {
    call.started = true;
    const id = call.id === "" ? `call_${call.block.slice(5)}` : call.id;
    const events = blocks.start(call.block, { kind: "tool_call", id, name: call.name });
    return [...events, ...blocks.grow(call.block, call.held)];
  }

  return {
    read: (given: Json): AnswerEvent[] => {
      const call = callOf(given);
      last = call;
      const { name, arguments: text } = objectOf(given["function"]);
      if (!call.started && call.name === "") call.name = textOf(name);
      const said = typeof text === "string" ? text : text === undefined || text === null ? "" : JSON.stringify(text);
      if (call.started) return blocks.grow(call.block, said);
      call.held += said;
      return call.name === "" ? [] : begin(call);
    },
    close: (): AnswerEvent[] =>
      [...byIndex.values()].flatMap((call) => (call.started || call.name === "" ? [] : begin(call))),
  };
}
