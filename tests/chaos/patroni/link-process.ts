/** The process that all links of a run go through. */
import { createLink, type OpenLink } from "./link.ts";
import type { Done, Order } from "./links.ts";

const links = new Map<number, OpenLink>();

process.on("message", (order: Order) => void obey(order));
process.on("disconnect", () => process.exit());

async function obey(order: Order): Promise<void> {
  const port = order.verb === "create" ? await create(order.targetPort) : order.port;
  if (order.verb === "cut") links.get(port)?.cut();
  if (order.verb === "heal") links.get(port)?.heal();
  process.send?.({ id: order.id, port } satisfies Done);
}

async function create(targetPort: number): Promise<number> {
  const link = await createLink(targetPort);
  links.set(link.port, link);
  return link.port;
}
