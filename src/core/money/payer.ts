declare const PAYER: unique symbol;

/**
 * Whose doing a request is: the person behind a session or a personal account, however many keys they have, else the key. What one
 * may take of what all share counts for the payer; a type of its own, so that no key is taken for one.
 */
export type Payer = string & { readonly [PAYER]: true };

/** Before it is known whose it is. */
export const NO_PAYER = "" as Payer;

/** Of a text that is known to name one. */
export const payerNamed = (text: string): Payer => text as Payer;
