import { z } from "zod";
import { fieldFault } from "../../core/fault.ts";
import { NO_PAYER, type Payer } from "../../core/money/payer.ts";
import type { MemberEdits } from "../json/edit-members.ts";
import type { Members } from "../json/members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import type { UnknownMember } from "../members/inspect-members.ts";
import { readMembers } from "../members/read-members.ts";
import type { UnknownMembers } from "../members/unknown-members.ts";
import { validate } from "../validate.ts";
import { type EmbeddingsInput, readInput } from "./input.ts";

export type EmbeddingEncoding = "float" | "base64";

/** A request for embeddings, with the bytes it came in. Its answer comes whole, and there is one. */
export type EmbeddingsRequest = {
  dialect: "embeddings";
  payer: Payer;
  model: string;
  stream: false;
  choices: 1;
  /** What its inputs come to; the inputs themselves stay in the bytes. */
  input: Pick<EmbeddingsInput, "kind" | "sizes">;
  /** Bytes beside the input that a provider may be told, and that nobody here understands. */
  strangeBytes: number;
  encoding: EmbeddingEncoding;
  bytes: Buffer;
  members: Members;
  unknown: UnknownMembers;
  leftOut: readonly UnknownMember[];
  edits: Readonly<MemberEdits>;
};

const MOST_DIMENSIONS = 1_000_000;

/** The request as OpenAI has it. Its input is read by hand: it may have 300,000 values. */
export const embeddingsRequestSchema = z.looseObject({
  model: z.string().min(1),
  dimensions: z.int().min(1).max(MOST_DIMENSIONS).optional(),
  encoding_format: z.enum(["float", "base64"]).optional(),
  user: z.string().optional(),
});

/** `texts`: those to be embedded, where it has any. */
export type ReadEmbeddingsBody = { request: EmbeddingsRequest; texts: readonly string[] };

export function readEmbeddingsRequest(parsed: ParsedBody): ReadEmbeddingsBody {
  const { value, bytes, members, unknown, leftOut } = readMembers("embeddings", parsed, "none");
  const body = validate(embeddingsRequestSchema, value);
  if (value["input"] === undefined) throw fieldFault("input", "Field required");
  const { kind, sizes, texts } = readInput(value["input"]);
  const request: EmbeddingsRequest = {
    dialect: "embeddings",
    payer: NO_PAYER,
    model: body.model,
    stream: false,
    choices: 1,
    input: { kind, sizes },
    strangeBytes: unknown.listed.length === 0 ? 0 : bytes.length - inputBytes(members),
    encoding: body.encoding_format ?? "float",
    bytes,
    members,
    unknown,
    leftOut,
    edits: {},
  };
  return { request, texts };
}

function inputBytes({ list }: Members): number {
  const input = list.find(({ name }) => name === "input");
  return input === undefined ? 0 : input.valueEnd - input.valueStart;
}

/** The texts of a body that was read before; none where it has lists of tokens. */
export const textsIn = (bytes: Buffer): readonly string[] =>
  readInput((JSON.parse(bytes.toString("utf8")) as Record<string, unknown>)["input"]).texts;
