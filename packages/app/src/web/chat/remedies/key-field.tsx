/** A new key in the place of the refused one: tried first, saved when it works, and the question is asked again. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ProviderView } from "../../../features/providers/schema.ts";
import type { TestResult } from "../../../protocol/test-result.ts";
import { api } from "../../api.ts";
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
      const failed = await replaceKey(provider, key.trim());
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

/** @returns why it was not saved. @throws ApiProblem. */
async function replaceKey(provider: string, key: string): Promise<string | undefined> {
  const { body: all } = await api.get<readonly ProviderView[]>("/providers");
  const saved = all.find(({ id }) => id === provider);
  const { source } = saved?.key.$secret ?? {};
  if (source?.startsWith("env:") === true) return t("key.env", { name: source.slice(4) });
  const secret = { $secret: key };
  const { body: tried } = await api.post<TestResult>("/providers/test", { id: provider, key: secret, live: false });
  const failed = tried.steps.find(({ state }) => state === "failed");
  if (failed !== undefined) return failed.detail ?? t("key.refused");
  const path = `/providers/${encodeURIComponent(provider)}`;
  if (saved === undefined) await api.put(path, { key: secret }, { ifNoneMatch: "*" });
  else await api.put(path, { key: secret }, { ifMatch: `"${saved.hash}"` });
  return undefined;
}
