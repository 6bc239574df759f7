/**
 * What is in all open purses together: prepaid credit that is not spent yet. `balance` less `reserved` is available. `closed` is what closed
 * purses have beside it, which nobody can spend.
 */
export type Outstanding = {
  purses: number;
  balance: bigint;
  reserved: bigint;
  closed: { purses: number; balance: bigint };
};

/** `within`: only purses of these accounts and of what is below them; null: all. */
export type ReadOutstanding = (within: readonly string[] | null) => Promise<Outstanding>;
