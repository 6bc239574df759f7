import { AnswerLimitError } from "../../core/request/answer-limit.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectsOf, textOf } from "../form/read-json.ts";

/** More than a call is given by any model, and no more than is kept of one that is not whole. */
const MOST_CHARACTERS = 1_048_576;
const MOST_ITEMS = 10_000;
const MOST_STEPS = 64;

/** `$.recipe.steps[0]`, or a name in brackets where it holds other characters. */
const STEP = /\.([^.[\]]+)|\[(\d{1,5})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/gy;

type Container = Json | unknown[];

/** The arguments of a call that come value by value, a text perhaps in pieces, each with its place. */
export class PartialArgs {
  readonly #root: Json;
  #characters = 0;
  /** Where a text goes on. */
  #open: string | null = null;

  constructor(root: Json = {}) {
    this.#root = root;
  }

  /** False: they say something that no arguments can be. */
  add(given: unknown): boolean {
    return objectsOf(given).every((partial) => this.#place(partial));
  }

  text(): string {
    return JSON.stringify(this.#root);
  }

  #place(partial: Json): boolean {
    const path = textOf(partial["jsonPath"]);
    const steps = stepsOf(path);
    const last = steps?.pop();
    if (!steps || last === undefined) return false;
    const value = valueOf(partial);
    this.#characters += path.length + (typeof value === "string" ? value.length : 8);
    if (this.#characters > MOST_CHARACTERS)
      throw new AnswerLimitError(
        `The arguments of a tool call exceed ${MOST_CHARACTERS.toLocaleString("en-US")} characters, the limit.`,
      );
    let at: Container = this.#root;
    for (const [index, step] of steps.entries()) {
      const next = descend(at, step, typeof (steps[index + 1] ?? last) === "number");
      if (next === null) return false;
      at = next;
    }
    const goesOn = this.#open === path && typeof value === "string";
    const before: unknown = goesOn ? memberOf(at, last) : "";
    this.#open = partial["willContinue"] === true ? path : null;
    return put(at, last, goesOn && typeof before === "string" ? before + value : value);
  }
}

function stepsOf(path: string): (string | number)[] | null {
  if (!path.startsWith("$") || path.length > MOST_CHARACTERS) return null;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null || steps.length >= MOST_STEPS) return null;
    const [, name, index, quoted, single] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? (quoted ?? single ?? "").replaceAll(/\\(.)/g, "$1"));
  }
  return steps;
}

function valueOf({ stringValue, numberValue, boolValue, nullValue }: Json): unknown {
  if (nullValue !== undefined) return null;
  return stringValue ?? numberValue ?? boolValue ?? "";
}

const memberOf = (owner: Container, step: string | number): unknown => {
  if (Array.isArray(owner)) return owner[Number(step)];
  return Object.hasOwn(owner, String(step)) ? owner[String(step)] : undefined;
};

/** What a step leads to, made where there is nothing yet; null where it leads nowhere. */
function descend(owner: Container, step: string | number, toList: boolean): Container | null {
  const known = memberOf(owner, step);
  if (Array.isArray(known) || isObject(known)) return known;
  const made: Container = toList ? [] : {};
  return known === undefined && put(owner, step, made) ? made : null;
}

/** Defined and not assigned: a name such as `__proto__` is a name like any other. */
function put(owner: Container, step: string | number, value: unknown): boolean {
  if (Array.isArray(owner)) {
    if (typeof step !== "number" || step >= MOST_ITEMS || step > owner.length) return false;
    owner[step] = value;
    return true;
  }
  if (typeof step === "number") return false;
  Object.defineProperty(owner, step, { value, enumerable: true, writable: true, configurable: true });
  return true;
}
