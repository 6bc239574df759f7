import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import type { Setting } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { SettingValue, SourceBadge } from "./setting-columns.tsx";

/** One setting whole: what it does, what is in force, and how it is set. */
export const SettingDialog = ({ of: setting, onClose }: { of: Setting; onClose: () => void }): ReactNode => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
      <Dialog.Popup className="popup fixed inset-x-0 top-[10vh] z-40 mx-auto flex max-h-[84vh] w-[min(600px,calc(100vw-24px))] flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float">
        <div>
          <Dialog.Title className="font-mono text-title font-semibold break-words">{setting.path}</Dialog.Title>
          <Dialog.Description className="text-ink-2">{setting.description}</Dialog.Description>
        </div>
        <Facts
          facts={[
            ["In force", <SettingValue key="value" of={setting} />],
            ["Default", setting.default === null ? "none" : setting.default === "" ? "empty" : setting.default],
            [
              "Source",
              <span key="source" className="flex flex-wrap items-center gap-2">
                <SourceBadge source={setting.source} />
                {setting.place !== null && <code className="font-mono text-small break-all">{setting.place}</code>}
              </span>,
            ],
            ["In the file", <CopyText key="file" text={inFile(setting)} />],
            ["As a variable", <CopyText key="variable" text={setting.environment} />],
            ...(setting.secret
              ? [["From a file", <CopyText key="secret" text={`${setting.environment}_FILE`} />] as const]
              : []),
          ]}
        />
        <p className="text-small text-ink-3">
          The environment takes precedence over the file. Restart the gateway to apply a change.
        </p>
        <div className="flex justify-end">
          <Dialog.Close render={<Button>Close</Button>} />
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

/** As it stands in tollgate.yaml, on one line. */
function inFile({ path }: Setting): string {
  const [group = "", key] = path.split(".");
  return key === undefined ? `${group}: …` : `${group}: { ${key}: … }`;
}
