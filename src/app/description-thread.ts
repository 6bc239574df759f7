import { parentPort, workerData } from "node:worker_threads";
import type { DescriptionOrder } from "../core/description.ts";
import { descriptionOf } from "../../build/openapi/description-of.ts";

/** The thread in which one description is written. */
parentPort?.postMessage(descriptionOf(workerData as DescriptionOrder), []);
