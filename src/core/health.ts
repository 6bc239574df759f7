/** What is wrong now, in words for operators. All empty: nothing is. */
export type Health = {
  /** Why this process should not be sent requests, whatever others do. */
  unready: string[];
  /** Why requests fail here and, where the cause is shared, everywhere. */
  failing: string[];
  /** What is not as it should be while requests are served. */
  degraded: string[];
};
