/** A settlement of which the house bears nothing, under a cap that nothing reaches. */
export const NOTHING_BORNE = { absorbed: 0n, waived: 0n, capPerHour: 10n ** 18n } as const;
