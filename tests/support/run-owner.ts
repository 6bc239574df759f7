/** The process of the run, which the servers and the other processes of its tests end with. */
export const ownerOf = (): number => (process.env["VITEST_POOL_ID"] === undefined ? process.pid : process.ppid);
