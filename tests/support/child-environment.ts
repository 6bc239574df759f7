/**
 * What a process of a test inherits, and nothing else. Within a run, code that one process has compiled is not compiled again by the next:
 * to read the sources of a gateway takes a second of processor time, and a run starts hundreds.
 */
export const bareEnvironment = (): { PATH: string; NODE_COMPILE_CACHE?: string } => {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
};

/**
 * A gateway gives up on a database that takes longer than its settings say: a new request is refused after 1.5 seconds. A busy machine
 * takes longer over the first requests of a process, and that is not what is tested.
 */
const PATIENCE = {
  TOLLGATE_LEDGER_TIMEOUT_MS: "20000",
  TOLLGATE_LEDGER_SETTLE_TIMEOUT_MS: "20000",
  TOLLGATE_DATABASE_CONNECT_TIMEOUT_MS: "20000",
  TOLLGATE_DATABASE_STATEMENT_TIMEOUT_MS: "20000",
  TOLLGATE_OPERATOR_STATEMENT_TIMEOUT_MS: "20000",
};

/** The same for a gateway whose database is there. Where a test takes it away, it begins with `bareEnvironment`. */
export const childEnvironment = (): Record<string, string> & { PATH: string } => ({
  ...bareEnvironment(),
  ...PATIENCE,
});
