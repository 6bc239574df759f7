import type { ClientDialect } from "../../src/core/request/dialect.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";

/** One run of an agent: the question, where it works, and the gateway it is pointed at. */
export type Errand = {
  mode: KeyMode;
  /** The origin of the key's mode, without `/v1`. */
  origin: string;
  apiKey: string;
  model: string;
  prompt: string;
  /** The provider may search the web for it. */
  searches: boolean;
};

export type AgentCommand = { args: readonly string[]; environment: Record<string, string> };

/** A call of one of the agent's own tools. */
export type ToolCall = { tool: string; input: object };

/** The call that leaves this content in this file. */
export type WriteFile = (file: string, content: string) => ToolCall;

/** A tool that only one format knows; providers of the others must be told of it as a function. */
export type SpecialTool = {
  name: string;
  /** How the name of a model begins that it is offered to. */
  model?: string;
  call: WriteFile | ToolCall;
};

/** A coding agent that is run as its users run it, without a terminal. */
export type Agent = {
  name: string;
  packages: Record<string, string>;
  /** Where they are installed. */
  folder: string;
  /** The program in the folder the packages were installed in. */
  program: (folder: string) => string;
  dialect: ClientDialect;
  writeFile: WriteFile;
  specialTools: readonly SpecialTool[];
  /** What the simulated provider does so that the agent has it search the web, and how its requests end then. */
  searchScript: { script: string; outcomes: readonly string[] };
  /** It generates over a WebSocket, and is not to fall back to HTTP. */
  overSocket?: true;
  command: (errand: Errand) => AgentCommand;
  /** Cases it does not pass, and why. One that passes all the same is reported, so that this list stays true. */
  limitations?: Readonly<Record<string, string>>;
};
