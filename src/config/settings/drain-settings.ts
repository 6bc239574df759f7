import { group, integer } from "./setting.ts";

const LONGEST_MS = 86_400_000;

export const drainSettings = group("How a process shuts down after SIGTERM.", {
  delay_ms: integer(
    { min: 0, max: LONGEST_MS, fallback: 0 },
    "Time between reporting not ready and closing the listener, in milliseconds. New requests are still served meanwhile, and each connection closes after its request. Behind a load balancer, set it above the time the balancer needs to stop sending requests.",
  ),
  deadline_ms: integer(
    { min: 0, max: LONGEST_MS, fallback: 310_000 },
    "Time for running requests to finish, in milliseconds, including `delay_ms`. Those still running then end with an error and cost nothing. Keep it above `limits.stream_deadline_ms`.",
  ),
});
