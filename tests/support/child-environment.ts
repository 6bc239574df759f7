/**
 * What a process of a test inherits, and nothing else. Within a run, code that one process has compiled is not compiled again by the next:
 * to read the sources of a gateway takes a second of processor time, and a run starts hundreds.
 */
export const childEnvironment = (): { PATH: string; NODE_COMPILE_CACHE?: string } => {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
};
