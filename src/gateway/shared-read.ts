/**
 * One read per id at a time. Those who come while it runs share the next, which begins after they came: so nobody is told what was
 * true before they asked, and however many ask at once, the database is asked twice.
 */
export function createSharedRead<Answer>(read: (id: string) => Promise<Answer>): (id: string) => Promise<Answer> {
  const running = new Map<string, Promise<Answer>>();
  const next = new Map<string, Promise<Answer>>();

  function begin(id: string): Promise<Answer> {
    const reading = read(id).finally(() => running.delete(id));
    running.set(id, reading);
    return reading;
  }

  function after(id: string, current: Promise<Answer>): Promise<Answer> {
    const waiting = current
      .catch(() => undefined)
      .then(() => {
        next.delete(id);
        return begin(id);
      });
    next.set(id, waiting);
    return waiting;
  }

  return (id) => {
    const current = running.get(id);
    return current === undefined ? begin(id) : (next.get(id) ?? after(id, current));
  };
}
