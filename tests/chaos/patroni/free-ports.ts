import { freePort } from "../../support/postgres-cluster.ts";

/** So many ports of the loopback interface that nobody uses, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
