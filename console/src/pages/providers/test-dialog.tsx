import { Dialog } from "@base-ui/react/dialog";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import type { ProviderTest } from "../../api/generated/admin.ts";
import { DURATION } from "../../format/unit.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { FORMATS, type Format } from "../first-run/provider-test.tsx";

export type Target = { upstreamModel: string; format: Format };

/** One small call, with what came of it. It can be made again without closing. */
export function TestDialog({
  provider,
  target,
  onClose,
}: {
  provider: string;
  target: Target | null;
  onClose: () => void;
}): ReactNode {
  const [model, setModel] = useState(target?.upstreamModel ?? "");
  const [format, setFormat] = useState<Format>(target?.format ?? "chat");
  const test = useMutation({
    mutationFn: () =>
      call("POST /admin/v1/providers/{provider}/test", {
        params: { provider },
        body: { upstream_model: model, format },
      }),
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    test.mutate();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
        <Dialog.Popup className="popup fixed inset-x-0 top-[10vh] z-40 mx-auto max-h-[84vh] w-[min(480px,calc(100vw-24px))] overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float">
          <form onSubmit={send} className="flex flex-col gap-4">
            <div>
              <Dialog.Title className="text-title font-semibold">Test {provider}</Dialog.Title>
              <Dialog.Description className="text-ink-2">
                One streamed call of at most 16 output tokens from this gateway. The provider bills it to you.
              </Dialog.Description>
            </div>
            <TargetFields
              isKnown={target !== null}
              model={model}
              onModel={setModel}
              format={format}
              onFormat={setFormat}
            />
            <div aria-live="polite">
              {test.error && (
                <p className="rounded-sm bg-bad-soft px-2 py-1 text-small text-bad">{test.error.message}</p>
              )}
              {test.data && !test.isPending && <Result of={test.data} />}
            </div>
            <div className="flex justify-end gap-2">
              <Button onClick={onClose}>Close</Button>
              <Button look="primary" type="submit" busy={test.isPending}>
                {test.data ? "Test again" : "Make the call"}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type TargetParts = {
  isKnown: boolean;
  model: string;
  onModel: (model: string) => void;
  format: Format;
  onFormat: (format: Format) => void;
};

const TargetFields = ({ isKnown, model, onModel, format, onFormat }: TargetParts): ReactNode => (
  <>
    <Field
      label="Model, by its name there"
      name="model"
      required
      autoFocus={!isKnown}
      spellCheck={false}
      value={model}
      onChange={({ target: field }) => onModel(field.value)}
    />
    <SelectField
      label="Format"
      name="format"
      options={FORMATS}
      value={format}
      onChange={({ target: field }) => onFormat(field.value as Format)}
    />
  </>
);

const milliseconds = (ms: number | null): string =>
  ms === null ? "none came" : DURATION.show(BigInt(Math.round(ms * 1000)));

function Result({ of: test }: { of: ProviderTest }): ReactNode {
  const rules = test.broken_rules;
  return (
    <div className="flex flex-col gap-3 rounded-md bg-sunken/60 p-3">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <Badge tone={test.ok ? "good" : "bad"}>{test.ok ? "works" : "failed"}</Badge>
        {test.problem !== null && <span className="min-w-0 wrap-anywhere">{test.problem}</span>}
      </p>
      <Facts
        facts={[
          ["Status", test.status === null ? "no response" : String(test.status)],
          ["First byte", milliseconds(test.first_byte_ms)],
          ["Complete", milliseconds(test.whole_ms)],
          [
            "Usage",
            test.usage === null
              ? "not reported"
              : `${test.usage.input_tokens ?? "?"} in, ${test.usage.output_tokens ?? "?"} out`,
          ],
          ["Names itself", test.names_itself ?? "no name"],
          ...(rules === null
            ? []
            : ([["Stream rules", rules.length === 0 ? "all met" : `broken: ${rules.join("; ")}`]] as const)),
        ]}
      />
    </div>
  );
}
