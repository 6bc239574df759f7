/** The end of a chosen day in UTC, as limits and statements count days; nothing chosen: never. */
export const endOfDay = (day: string): string | null => (day === "" ? null : `${day}T23:59:59.000Z`);
