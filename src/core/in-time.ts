/** What the work comes to, or `late` where that takes longer. The work goes on all the same. */
export async function inTime<Value, Late>(ms: number, work: Promise<Value>, late: Late): Promise<Value | Late> {
  const bell = Promise.withResolvers<Late>();
  const timer = setTimeout(bell.resolve, ms, late);
  try {
    return await Promise.race([work, bell.promise]);
  } finally {
    clearTimeout(timer);
  }
}
