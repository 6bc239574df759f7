import { freePort } from "../../support/free-port.ts";

/** So many ports of the loopback interface that nobody uses. */
export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));
