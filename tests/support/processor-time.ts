/** Processor time that some work takes in this thread: what the clock on the wall says depends on who else is busy. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
