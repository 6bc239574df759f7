/** How somebody proved who they are. `automation`: by the one token of the configuration. `cli`: by having the database. */
export type Via = "password" | "sso" | "token" | "automation" | "cli";

/** Who acts as an operator. It stands in the journal and in the log beside what was done. */
export type By = {
  /** `admin`: the automation token. `cli`: a command on the database itself. `ann@acme.example`: a person. */
  actor: string;
  /** The request that asked for it, when one did. */
  requestId?: string;
  /** Absent for the automation token and for commands on the database. */
  personId?: string;
  /** The session of a browser; absent where there is none. */
  sessionId?: string;
  /** Where the request came from. */
  address?: string;
  via?: Via;
  /** Ids of accounts: these and what is below them are all that is seen and changed. Absent: everything is. */
  within?: readonly string[];
};
