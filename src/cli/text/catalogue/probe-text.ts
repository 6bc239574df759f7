import { providerTest } from "../../../contract/providers.ts";
import type { ProbeResult } from "../../../core/catalogue/probe.ts";
import { written } from "../../../wire/validate.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts } from "../table.ts";
import type { Choice } from "../../input/choose-target.ts";

export type ProbeReport = { provider: string; choice: Choice; result: ProbeResult };

export function probeView({ provider, choice, result }: ProbeReport): object {
  const { names_itself: _, ...tested } = written(providerTest, result);
  return {
    provider,
    model: choice.route?.modelId ?? null,
    upstream_model: choice.upstreamModel,
    format: choice.dialect,
    ...tested,
    suggestion: suggestionOf(result),
  };
}

export function probeText({ provider, choice, result }: ProbeReport, screen: Screen = PLAIN): string {
  const { examination } = result;
  const pairs: [string, string][] = [
    ["status", result.status === null ? "none" : String(result.status)],
    ["first byte", result.firstByteMs === null ? "none" : `${result.firstByteMs} ms`],
    ["complete after", `${result.wholeMs} ms`],
  ];
  if (result.problem !== null) pairs.push(["problem", result.problem]);
  if (examination !== null) {
    const { usage, broken, model } = examination;
    pairs.push(
      [
        "usage",
        usage === null ? "not reported" : `input ${usage.inputTokens ?? "?"}, output ${usage.outputTokens ?? "?"}`,
      ],
      ["model name sent", model === "" ? "none" : model],
      ["stream rules", broken.length === 0 ? "all met" : `broken: ${broken.join("; ")}`],
      ["suggestion", adviceOf({ provider, choice, result })],
    );
  }
  return facts(`${provider}: ${choice.upstreamModel} (${choice.dialect})`, pairs, screen);
}

const suggestionOf = ({ examination }: ProbeResult): "conformant" | "normalised" | null =>
  examination === null ? null : examination.broken.length === 0 ? "conformant" : "normalised";

/** Answers in words keep the rules more often than those with tool calls, of which one small call says nothing. */
function adviceOf({ provider, choice, result }: ProbeReport): string {
  const suggestion = suggestionOf(result);
  const { route, upstreamModel, dialect } = choice;
  const advice =
    suggestion === "conformant"
      ? "conformant is possible: the text response met all rules. Tool calls were not tested, and clients would see that model name"
      : "normalised";
  if (route === null || route.conformant === (suggestion === "conformant")) return advice;
  const option = suggestion === "conformant" ? "--conformant" : "--no-conformant";
  const command = `tollgate models add ${route.modelId} --provider ${provider} --upstream-model ${upstreamModel} --format ${dialect} ${option}`;
  return `${advice}. The route differs; change it with: ${command}`;
}
