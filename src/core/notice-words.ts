/** `dead`: a webhook did not accept it within a day. */
export const DELIVERY_STATES = ["waiting", "delivered", "dead"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `used`: charges came up to it; `left`: a purse came down to it; `refused`: a request was refused for it; `too_large`: one that asked for much. */
export const NOTICE_CAUSES = ["used", "left", "refused", "too_large"] as const;
export type NoticeCause = (typeof NOTICE_CAUSES)[number];
