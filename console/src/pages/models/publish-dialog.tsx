import type { ReactNode } from "react";
import type { Model } from "../../api/generated/admin.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { tell } from "../../parts/toast.tsx";

/** Clients may use it, or get 404 for it. */
export function PublishDialog({ of: model, onClose }: { of: Model; onClose: () => void }): ReactNode {
  const verb = model.published ? "Unpublish" : "Publish";
  return (
    <FormDialog
      title={`${verb} ${model.id}?`}
      lead={
        model.published
          ? "Clients get 404 for it, and it is in no list of models. Requests in progress end as usual."
          : "Every key that may use it sees it in its list of models and can ask for it."
      }
      verb={verb}
      danger={model.published}
      done={model.published ? "The model is unpublished" : "The model is published"}
      onClose={onClose}
      act={async (change) => {
        const word = model.published ? "unpublish" : "publish";
        const { data } = await change(`POST /admin/v1/models/${word}`, { body: { models: [model.id] } });
        for (const warning of data.flatMap(({ warnings }) => warnings)) tell("Clients may not reach it", warning);
      }}
    >
      {() => null}
    </FormDialog>
  );
}
