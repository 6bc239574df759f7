export type Level = "info" | "warn" | "error";

/** A line of the log. The reference page is written from these rows, and nothing else is logged but requests and findings. */
export type LogRow = {
  /** Stable: alerts match it. Numbers stand in fields. */
  message: string;
  level: Level;
  /** The level it has in some cases. */
  orLevel?: Level;
  meaning: string;
  /** What to do, which the line carries as `fix` when it is a warning or an error; null: nothing. */
  fix: string | null;
};
