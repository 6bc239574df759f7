export const TOP_UP_KINDS = ["purchase", "grant", "adjust"] as const;

/** Why credit is booked: it was paid for, it is a gift, or it corrects an earlier booking. */
export type TopUpKind = (typeof TOP_UP_KINDS)[number];
