import { askServer, supersedeServer } from "./postgres-client.ts";
import { createPrimary, type Primary, type PrimaryOptions } from "../line/primary.ts";

export type FindOptions = Pick<PrimaryOptions, "line" | "onRefused"> & {
  connectTimeoutMs: number;
  statementTimeoutMs: number;
};

/** The primary among PostgreSQL servers, each asked on a connection of its own. */
export const findPrimary = (urls: readonly string[], options: FindOptions): Primary =>
  createPrimary({
    urls,
    line: options.line,
    onRefused: options.onRefused,
    ask: (url) => askServer(url, options),
    supersede: (url, by) => supersedeServer(url, by, options),
  });
