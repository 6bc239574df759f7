import type { Fault } from "../../core/fault.ts";

/** A refusal in one wire format, ready to be sent. */
export type RenderedFault = { status: number; headers: Record<string, string>; body: string };

/** Renders a fault for one format. A mid-stream failure has the same body without a status. */
export type RenderFault = (fault: Fault, requestId: string) => RenderedFault;
