import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { portProblem } from "./port-problem.ts";

/** The error of a port that is truly taken. */
async function taken(): Promise<{ error: Error; port: number }> {
  const first = createServer().listen(0, "127.0.0.1");
  await once(first, "listening");
  const { port } = first.address() as { port: number };
  const [error] = (await once(createServer().listen(port, "127.0.0.1"), "error")) as [Error];
  first.close();
  return { error, port };
}

test("a port that is taken is told with the variable that chooses it", async () => {
  const { error, port } = await taken();

  expect(portProblem(error, { listen: { port }, admin: { port: 1 } })?.message).toMatch(
    /:\d+\. .* set PORT to another/,
  );
  expect(portProblem(error, { listen: { port: 1 }, admin: { port } })?.message).toContain("set TOLLGATE_ADMIN_PORT to");
});

test("two listeners on one port are told so, since nothing else listens there", async () => {
  const { error, port } = await taken();

  expect(portProblem(error, { listen: { port }, admin: { port } })?.message).toBe(
    `PORT and TOLLGATE_ADMIN_PORT are both ${port}. Each listener needs its own.`,
  );
});

test("any other failure is left to whoever reports it", () => {
  expect(portProblem(new Error("x"), { listen: { port: 1 }, admin: { port: 2 } })).toBeNull();
});
