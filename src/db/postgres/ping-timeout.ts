const PING_TIMEOUT_MS = 2_000;

/** A health check wants an answer soon more than it wants a good one. */
export async function withinPingTimeout(answer: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`the database did not answer within ${PING_TIMEOUT_MS} ms`)),
    PING_TIMEOUT_MS,
  );
  try {
    await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
