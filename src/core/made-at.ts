/** When an id was made, to the millisecond, by the clock of the process that made it. */
export const madeAtMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
