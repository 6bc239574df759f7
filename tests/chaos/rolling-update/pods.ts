import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../support/until.ts";
import type { Gateway, Stage } from "../ledger/stage.ts";
import type { Deployment } from "./deployment.ts";
import type { Service } from "./kube-service.ts";

type Pod = Gateway & { name: string; ready: boolean; terminating: boolean; connectionsAtSignal: number };

export type Ended = {
  name: string;
  /** Null when it had to be killed. */
  code: number | null;
  /** Connections that were still sent to it after its signal, because not every node knew yet. */
  late: number;
};

export type Pods = {
  start: () => Promise<Pod>;
  /** As the kubelet ends a pod: SIGTERM, then SIGKILL after the grace period. */
  terminate: (pod: Pod) => { listenerClosed: Promise<void>; ended: Promise<Ended> };
  close: () => void;
};

const START_TIMEOUT_MS = 90_000;

/** Starts pods, asks them whether they are ready, and tells the Service, as the kubelet and the endpoint controller do. */
export function createPods(parts: { stage: Stage; service: Service; deployment: Deployment }): Pods {
  const { stage, service, deployment } = parts;
  const { path, periodMs, failureThreshold } = deployment.readiness;
  const pods: Pod[] = [];
  let closed = false;
  const announce = (): void => service.announce(pods.filter(({ ready, terminating }) => ready && !terminating));

  const probe = async (pod: Pod): Promise<void> => {
    for (let failures = 0; !closed && pod.alive(); await sleep(periodMs)) {
      const ok = await fetch(`${pod.url}${path}`).then(({ status }) => status === 200, () => false); // prettier-ignore
      failures = ok ? 0 : failures + 1;
      const ready = ok || (pod.ready && failures < failureThreshold);
      if (ready === pod.ready) continue;
      pod.ready = ready;
      announce();
    }
  };

  return {
    start: async () => {
      const gateway = await stage.startGateway();
      const name = `pod ${pods.length + 1}`;
      const pod: Pod = { ...gateway, name, ready: false, terminating: false, connectionsAtSignal: 0 };
      pods.push(pod);
      void probe(pod);
      await until(() => pod.ready, `${name} is ready`, START_TIMEOUT_MS);
      await sleep(deployment.minReadyMs);
      return pod;
    },
    terminate: (pod) => {
      pod.terminating = true;
      pod.connectionsAtSignal = service.connections(pod);
      announce();
      pod.signal("SIGTERM");
      const grace = setTimeout(() => pod.signal("SIGKILL"), deployment.graceMs);
      const listenerClosed = until(() => refuses(pod.url), `${pod.name} closes its listener`, deployment.graceMs);
      const ended = pod.ended.then((code) => {
        clearTimeout(grace);
        return { name: pod.name, code, late: service.connections(pod) - pod.connectionsAtSignal };
      });
      return { listenerClosed, ended };
    },
    close: () => void (closed = true),
  };
}

const refuses = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );
