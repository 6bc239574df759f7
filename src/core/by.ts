/** Who changes something as an operator. It stands in the journal and in the log beside what was done. */
export type By = {
  /** `admin`: through the admin API. `cli`: by a command on the database itself. */
  actor: string;
  /** The request that asked for it, when one did. */
  requestId?: string;
};
