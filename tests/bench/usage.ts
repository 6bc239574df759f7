import { coreBusyMicros, cpuMicrosOf, NO_TIME, type ProcessorTime, processorTimeOf } from "./process-usage.ts";
import type { Cores } from "./processes.ts";

/** Processor time of everything that takes part. */
export type Usage = {
  subject: ProcessorTime;
  databaseMicros: number;
  loadMicros: number;
  proxyCoreMicros: number;
  loadCoreMicros: number;
};

export type Watched = {
  subjectPid: number | null;
  databasePid: number | null;
  loadPids: readonly number[];
  cores: Cores | null;
};

/** Since everything began; what was used in between is the difference of two. */
export function usageOf({ subjectPid, databasePid, loadPids, cores }: Watched): Usage {
  return {
    subject: subjectPid === null ? NO_TIME : processorTimeOf(subjectPid),
    databaseMicros: databasePid === null ? 0 : cpuMicrosOf(databasePid),
    loadMicros: loadPids.reduce((sum, pid) => sum + cpuMicrosOf(pid), 0),
    proxyCoreMicros: cores === null ? 0 : coreBusyMicros(cores.proxy),
    loadCoreMicros: cores === null ? 0 : coreBusyMicros(cores.load),
  };
}

export function usedBetween(before: Usage, after: Usage): Usage {
  return {
    subject: {
      mainMicros: after.subject.mainMicros - before.subject.mainMicros,
      otherMicros: after.subject.otherMicros - before.subject.otherMicros,
    },
    databaseMicros: after.databaseMicros - before.databaseMicros,
    loadMicros: after.loadMicros - before.loadMicros,
    proxyCoreMicros: after.proxyCoreMicros - before.proxyCoreMicros,
    loadCoreMicros: after.loadCoreMicros - before.loadCoreMicros,
  };
}
