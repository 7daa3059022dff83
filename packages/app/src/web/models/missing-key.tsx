/** A provider that only misses its key: pasted here, tested, saved, and its models are in the list. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ProviderView } from "../../features/providers/schema.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { api } from "../api.ts";
import { announce } from "../lib/announce.ts";
import { Button } from "../ui/button.tsx";
import { problemFrom } from "../ui/problem.tsx";
import { t } from "./texts.ts";

interface MissingKeyProps {
  readonly provider: ProviderView;
  readonly onKey: () => void;
}

export function MissingKey({ provider, onKey }: MissingKeyProps): VNode {
  const { id, title, keyPage } = provider;
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const save = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await keep(provider, key.trim(), setFault, onKey);
    } catch (error) {
      const { detail, remedy } = problemFrom(error);
      setFault(remedy === undefined ? detail : `${detail} ${remedy}`);
    }
    setBusy(false);
  };
  return (
    <form
      class="picker-key"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label for={`picker-key-${id}`}>
        <strong>{title}</strong> <span class="warn-ink">· {t("noKey")}</span>
      </label>
      <div class="row">
        <input
          id={`picker-key-${id}`}
          class="input grow"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          placeholder={t("pasteKey")}
          value={key}
          {...(fault !== undefined && { "aria-invalid": "true", "aria-describedby": `picker-fault-${id}` })}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <Button type="submit" busy={busy} disabled={key.trim() === ""}>
          {t("test")}
        </Button>
        {keyPage !== undefined && (
          <a href={keyPage} target="_blank" rel="noopener noreferrer">
            {t("getKey")}
          </a>
        )}
      </div>
      {fault !== undefined && (
        <p class="fault" id={`picker-fault-${id}`} role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

/** It is tested first: a key that opens nothing is not kept. */
async function keep(
  { id, title, hash }: ProviderView,
  secret: string,
  onFault: (text: string) => void,
  onKey: () => void,
): Promise<void> {
  const key = { $secret: secret };
  const { body: result } = await api.post<TestResult>("/providers/test", { id, key });
  if (!result.ok) return onFault([result.detail, result.remedy].filter(Boolean).join(" "));
  await api.put(`/providers/${encodeURIComponent(id)}`, { key }, { ifMatch: `"${hash}"` });
  announce(t("keySaved", { title }));
  onKey();
}
