type Progress = { show: (phase: string, done: number) => void; end: () => void };

/** How far a long command is, on standard error: one line that changes in a terminal, a line per phase in a log. */
export function createProgress(): Progress {
  const { stderr } = process;
  let current: { phase: string; done: number } | null = null;
  const text = (): string => (current === null ? "" : `${current.phase}: ${current.done} looked at`);

  const end = (): void => {
    if (current === null) return;
    stderr.write(stderr.isTTY ? `\r\u001B[K${text()}\n` : `${text()}\n`);
    current = null;
  };
  return {
    show: (phase, done) => {
      if (current !== null && current.phase !== phase) end();
      current = { phase, done };
      if (stderr.isTTY) stderr.write(`\r\u001B[K${text()}`);
    },
    end,
  };
}
