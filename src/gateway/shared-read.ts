/**
 * One read per id at a time. Those who come while it runs share the next, which begins after they came: so nobody is told what was
 * true before they asked, and however many ask at once, the database is asked twice.
 */
export function createSharedRead<Of extends { id: string }, Answer>(
  read: (of: Of) => Promise<Answer>,
): (of: Of) => Promise<Answer> {
  const running = new Map<string, Promise<Answer>>();
  const next = new Map<string, Promise<Answer>>();

  function begin(of: Of): Promise<Answer> {
    const reading = read(of).finally(() => running.delete(of.id));
    running.set(of.id, reading);
    return reading;
  }

  function after(of: Of, current: Promise<Answer>): Promise<Answer> {
    const waiting = current
      .catch(() => undefined)
      .then(() => {
        next.delete(of.id);
        return begin(of);
      });
    next.set(of.id, waiting);
    return waiting;
  }

  return (of) => {
    const current = running.get(of.id);
    return current === undefined ? begin(of) : (next.get(of.id) ?? after(of, current));
  };
}
