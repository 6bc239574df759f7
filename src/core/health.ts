/** What is wrong now, in words for operators. All empty: nothing is. */
export type Health = {
  /** Why this process should not be sent requests, whatever others do. */
  unready: string[];
  /** Why requests fail here and, where the cause is shared, everywhere. */
  failing: string[];
  /** What is not as it should be while requests are served. */
  degraded: string[];
};

/** The same in one word, and all reasons for it. */
export const wordOf = ({ unready, failing, degraded }: Health) => ({
  status: statusOf([...unready, ...failing], degraded),
  reasons: [...unready, ...failing, ...degraded],
});

const statusOf = (reasons: readonly string[], degraded: readonly string[]): "ok" | "degraded" | "unavailable" =>
  reasons.length > 0 ? "unavailable" : degraded.length > 0 ? "degraded" : "ok";
