/**
 * Ends this process with the code, at once. `process.exit` waits for the runtime's threads, and one that writes into a full pipe ends when
 * somebody reads it. The system ends all threads when a process becomes another program, and this one does nothing but give the code.
 */
export function endProcess(code: number): void {
  try {
    process.execve?.(process.execPath, [process.execPath, "-e", `process.exit(${code})`], {});
  } catch {
    // Without that call, on Windows, there is still a way that no thread can hold up.
  }
  process.kill(process.pid, "SIGKILL");
}
