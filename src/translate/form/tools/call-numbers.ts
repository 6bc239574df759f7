import type { Json } from "../../../core/bytes/json.ts";
import { objectOf, textOf } from "../read-json.ts";

/** A call of a chat stream, as far as its fragments have told of it. */
type Known = { number: number; id: string; named: boolean };

/**
 * Tells the calls of a chat stream apart and numbers them from 0, in the order they begin. Identity is by index; but some providers
 * leave the index out, and some give every call the same, so an id that differs is another call too. Those that give neither
 * send their calls one after the other, each with a name. What is kept is bounded by `most`: all calls after that many have
 * that number.
 */
export function createCallNumbers(most = Number.POSITIVE_INFINITY): (fragment: Json) => number {
  const byIndex = new Map<number, Known>();
  const byId = new Map<string, Known>();
  let last: Known | null = null;
  let begun = 0;

  function knownCall({ index, id, name }: Signs): Known | null {
    if (index !== null) return byIndex.get(index) ?? null;
    if (id !== "") return byId.get(id) ?? null;
    return last?.named && name !== "" ? null : last;
  }

  function note(call: Known, { index, id, name }: Signs): void {
    if (call.id === "" && id !== "") {
      call.id = id;
      if (!byId.has(id)) byId.set(id, call);
    }
    if (index !== null) byIndex.set(index, call);
    call.named ||= name !== "";
  }

  return (fragment) => {
    const signs = signsOf(fragment);
    const known = knownCall(signs);
    const goesOn = known !== null && (signs.id === "" || known.id === "" || known.id === signs.id);
    if (!goesOn && begun >= most) {
      last = null;
      return most;
    }
    last = goesOn ? known : { number: begun++, id: "", named: false };
    note(last, signs);
    return last.number;
  };
}

type Signs = { index: number | null; id: string; name: string };

function signsOf(fragment: Json): Signs {
  const { index, id } = fragment;
  const { name } = objectOf(fragment["function"]);
  return { index: Number.isInteger(index) ? (index as number) : null, id: textOf(id), name: textOf(name) };
}
