import type { Fault } from "../../core/fault.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { DialectQuirks } from "../../wire/dialect-quirks.ts";
import type { Shape } from "../../wire/members/shape.ts";
import type { Answer, AnswerEvent } from "./answer-form.ts";
import type { OpenSeal, Seal } from "./native.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { ReadGenerated } from "../output-meter.ts";
import type { RequestForm } from "./request-form.ts";

/** What a provider's own dialect must be told beside the form. */
export type ProviderTold = {
  model: string;
  stream: boolean;
  maxOutputTokens: number | null;
  /** Where it differs from other providers of its dialect; absent, it does not. */
  quirks?: Partial<DialectQuirks>;
};

export type AnswerReader = {
  /** Null: the provider says, or shows, that it failed. */
  read: (event: Buffer) => readonly AnswerEvent[] | null;
  /** True once the provider has said that its answer is whole. */
  ended: () => boolean;
  /** The stream is over. Null: the answer is not whole. */
  close: () => readonly AnswerEvent[] | null;
  usage: () => Usage | null;
  inputUsage: () => Usage | null;
};

/** What a provider calls the model that answers; empty, it is not known. Of some, it says how their usage is to be read. */
export type AnsweredBy = { model: string };

/** One dialect as a provider speaks it. */
export type ProviderSide = {
  /** What a request of this dialect may hold, and what of it no provider is sent. */
  members: Shape;
  /** What one that keeps the format to the letter is told besides, so that it charges its ordinary price alone. */
  ordinaryPrice: Json;
  request: (form: RequestForm, told: ProviderTold) => Json;
  reader: (answered: AnsweredBy) => AnswerReader;
  /** What the model wrote in an event, and the name of a number that differs in every event and that nobody reads. */
  generated: ReadGenerated;
  counter?: string;
  /** Throws a fault when the answer cannot be read. */
  whole: (bytes: Buffer, answered: AnsweredBy) => { events: readonly AnswerEvent[]; usage: Usage | null };
};

/** What an answer is called by its caller. */
export type AnswerName = {
  id: string;
  model: string;
  createdAtSeconds: number;
  usageWanted: boolean;
  /** The body that is answered, for a dialect whose answers repeat it and name its tools. */
  echo: () => Json;
  /** Whether that body has a value which is this text. */
  mentions: (text: string) => boolean;
  /** How much is read to find that out. */
  bodyBytes: number;
  /** For what only its provider understands, and its caller brings back. */
  seal: Seal;
};

export type AnswerWriter = {
  /** Called after the event has been added to the answer. */
  write: (event: AnswerEvent) => readonly Buffer[];
  /** What still belongs before the terminal event, and that event. */
  close: (usage: Usage | null) => { rest: readonly Buffer[]; terminal: Buffer };
  failure: (fault: Fault, requestId: string) => Buffer;
};

/** One dialect as a caller speaks it. */
export type ClientSide = {
  form: (body: Json, open: OpenSeal) => RequestForm;
  /**
   * What the caller of this body calls the tool that its provider knows by a name. Null: its answers tell more of a tool than
   * what it is called, and name it themselves.
   */
  toolNames: ((body: Json) => { calledBy: (name: string) => string }) | null;
  writer: (name: AnswerName, answer: Answer) => AnswerWriter;
  whole: (name: AnswerName, answer: Answer, usage: Usage | null) => Json;
  keepAlive: Buffer;
};
