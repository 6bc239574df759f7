import type { LineProgram } from "../../support/line-program.ts";
import { type Access, type Client, type Explained, MAX_TOKENS, MORE, TOOL, unexplained, WEATHER } from "./client.ts";

type Operation = "ask" | "stream" | "tool" | "converse" | "models" | "count";
type Answer = { result?: unknown; error?: Explained };

/** What a client in another language threw. */
class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly explained: Explained;

  constructor(explained: Explained) {
    super(explained.message);
    this.explained = explained;
  }
}

type ProgramClient = {
  dialect: Client["dialect"];
  program: () => LineProgram;
  /** What else the program is told with every question. */
  words?: object;
  counts?: "tokens";
};

/** A client that lives in a program of its own and is asked over a pipe. */
export function programClient({ dialect, program, words = {}, counts }: ProgramClient): Client {
  const tool = { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema };
  const run =
    <Result>(operation: Operation) =>
    async (access: Access, model?: string): Promise<Result> => {
      const question = {
        operation,
        ...access,
        model,
        maxTokens: MAX_TOKENS,
        tool,
        weather: WEATHER,
        more: MORE,
        ...words,
      };
      const { result, error } = await program().ask<Answer>(question);
      if (error) throw new ProgramError(error);
      return result as Result;
    };
  return {
    dialect,
    ask: run("ask"),
    stream: run("stream"),
    callTool: run("tool"),
    converse: run("converse"),
    listModels: run("models"),
    ...(counts && { countTokens: run("count") }),
    explain: (error) => (error instanceof ProgramError ? error.explained : unexplained(error)),
  };
}
