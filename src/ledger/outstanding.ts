/** What is in all purses together: prepaid credit that is not spent yet. `balance` less `reserved` is available. */
export type Outstanding = { purses: number; balance: bigint; reserved: bigint };

/** `within`: only purses of these accounts and of what is below them; null: all. */
export type ReadOutstanding = (within: readonly string[] | null) => Promise<Outstanding>;
