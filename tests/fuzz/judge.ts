import { isObject } from "../../src/core/bytes/is-object.ts";
import type { Answer } from "./answer-reader.ts";
import type { FuzzCase } from "./fuzz-case.ts";
import { markersIn } from "./marker.ts";
import type { Played } from "./play-case.ts";

/** A refusal is for a person or an agent to read; one that is longer repeats what it was sent. */
const LONGEST_REFUSAL_BYTES = 4_096;
const TERMINALS = ["data: [DONE]", "event: message_stop", "event: response.completed"];

/** What is wrong with what came of a case; empty when nothing is. */
export type Judge = (fuzzCase: FuzzCase, played: Played) => string[];

/** Remembers every request id it has seen, for none may come twice. */
export function createJudge(): Judge {
  const seenIds = new Set<string>();

  return ({ expects }, { answers, end, broken, marker }) => {
    if (end === "hung") return [`no end within the deadline, after ${answers.length} answers`];
    const problems = broken === null ? [] : [broken];
    if (answers.length === 0 && expects.silence === "refused") problems.push("the connection ended without an answer");
    for (const answer of answers) {
      const { status } = answer;
      if (!expects.statuses.includes(status)) {
        problems.push(`status ${status}, not one of ${expects.statuses.join(", ")}: ${excerpt(answer)}`);
      }
      problems.push(...identityProblems(answer, seenIds));
      problems.push(
        ...(status < 400
          ? contentProblems(answer)
          : expects.body === "none"
            ? []
            : refusalProblems(answer, expects.format)),
      );
      const foreign = markersIn(textOf(answer)).filter((found) => found !== marker);
      if (foreign.length > 0) problems.push(`the answer holds what another request sent: ${foreign.join(", ")}`);
    }
    if (expects.echo === "demanded" && !echoes(answers[0], marker)) {
      problems.push("the answer does not hold what the request sent");
    }
    return problems;
  };
}

const echoes = (answer: Answer | undefined, marker: string): boolean =>
  answer?.status === 200 && textOf(answer).includes(marker);

/** Every answer carries the same id under both names, and nobody else's. [interface decision 28] */
function identityProblems({ headers }: Answer, seenIds: Set<string>): string[] {
  const [id, ...more] = headers.get("x-request-id") ?? [];
  if (id === undefined || more.length > 0) return ["not exactly one x-request-id"];
  if (!/^req_[0-9a-f]{32}$/.test(id)) return [`x-request-id ${id} is not ours`];
  const problems = headers.get("request-id")?.join() === id ? [] : ["request-id is not x-request-id"];
  if (seenIds.has(id)) problems.push(`${id} was the id of another answer`);
  seenIds.add(id);
  return problems;
}

function refusalProblems(answer: Answer, format: "A" | "B" | null): string[] {
  const { status, headers, body } = answer;
  if (body.length > LONGEST_REFUSAL_BYTES) return [`a refusal of ${body.length} bytes`];
  const retry = headers.get("retry-after")?.join();
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(retry ?? "")) return [`${status} without Retry-After`];
  const value = parsed(body);
  if (!isObject(value) || !isObject(value["error"])) return [`no envelope: ${excerpt(answer)}`];
  const id = headers.get("x-request-id")?.[0];
  const isB = value["type"] === "error";
  const { error } = value;
  const words = isB ? [error["message"], error["type"]] : [error["message"], error["type"], error["code"]];
  const problems = words.every((word) => typeof word === "string" && word !== "")
    ? []
    : [`an empty envelope: ${excerpt(answer)}`];
  if (error["request_id"] !== id) problems.push("the envelope names another request id than the headers");
  if (format !== null && isB !== (format === "B"))
    problems.push(`not the envelope of format ${format}: ${excerpt(answer)}`);
  return problems;
}

/** A whole JSON document, or a stream that says that it is complete. */
function contentProblems(answer: Answer): string[] {
  const type = answer.headers.get("content-type")?.join() ?? "";
  if (!type.startsWith("text/event-stream")) {
    return type.startsWith("text/html") || answer.body.length === 0 || parsed(answer.body) !== undefined
      ? []
      : [`200 with a body that is no JSON: ${excerpt(answer)}`];
  }
  const text = textOf(answer);
  return TERMINALS.some((terminal) => text.includes(terminal)) ? [] : [`a stream without its end: ${text.slice(-200)}`];
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

const textOf = ({ body, headers }: Answer): string =>
  `${[...headers.values()].flat().join("\n")}\n${body.toString("latin1")}`;
const excerpt = ({ body }: Answer): string => JSON.stringify(body.toString("utf8", 0, 300));
