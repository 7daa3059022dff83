/** A new key in the place of the refused one: tried first, saved when it works, and the question is asked again. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { keepKey } from "../../models/keep-key.ts";
import { Button } from "../../ui/button.tsx";
import { problemFrom } from "../../ui/problem.tsx";
import { t } from "./texts.ts";

interface KeyFieldProps {
  readonly provider: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function KeyField({ provider, onSaved, onClose }: KeyFieldProps): VNode {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const save = async (): Promise<void> => {
    if (busy || key.trim() === "") return;
    setBusy(true);
    setFault(undefined);
    try {
      const failed = await keepKey(provider, key);
      if (failed === undefined) onSaved();
      else setFault(failed);
    } catch (error) {
      setFault(problemFrom(error).detail);
    }
    setBusy(false);
  };
  return (
    <form
      class="remedy-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        class="input grow"
        type="password"
        autocomplete="off"
        spellcheck={false}
        data-1p-ignore
        aria-label={t("key.label", { provider })}
        placeholder={t("key.label", { provider })}
        value={key}
        ref={focusOnce}
        onInput={(event) => setKey(event.currentTarget.value)}
      />
      <Button type="submit" kind="primary" size="small" busy={busy} disabled={key.trim() === ""}>
        {t("key.save")}
      </Button>
      <Button size="small" kind="quiet" onClick={onClose}>
        {t("back")}
      </Button>
      {fault !== undefined && (
        <p class="danger-ink small" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

export function focusOnce(input: HTMLInputElement | null): void {
  if (!input || input.dataset["seen"] !== undefined) return;
  input.dataset["seen"] = "1";
  input.focus();
}
