/** One thing that is wrong with the configuration. No text in it ever carries a secret. */
export type Problem = {
  /** The setting or field, such as `limits.body_bytes`; null when the problem belongs to none. */
  path: string | null;
  /** Where it was read: `tollgate.yaml:7:3` or the name of an environment variable. */
  source: string;
  message: string;
};

export type FileOfConfig =
  | "configuration"
  | "catalogue file"
  | "price list"
  | "list of keys"
  | "LiteLLM configuration"
  | "map of names"
  | "file of costs";

/** A file of nonsense has a problem per line; nobody reads more than this many. */
const SHOWN_PROBLEMS = 50;

/** A file cannot be used. All its problems are listed, so that one restart is enough to mend them. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], what: FileOfConfig = "configuration") {
    const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  ${lineOf(problem)}`);
    const hidden = problems.length - shown.length;
    if (hidden > 0) shown.push(`  … and ${hidden} more.`);
    super(
      `The ${what} has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${shown.join("\n")}`,
    );
    this.problems = problems;
  }
}

const lineOf = ({ path, source, message }: Problem): string =>
  path === null ? `${source}: ${message}` : `${source}: ${path}: ${message}`;
